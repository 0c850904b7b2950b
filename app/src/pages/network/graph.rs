//! SVG graph of this hub and the hubs that it knows.
//!
//! This hub is in the middle. The others are around it in the order of their keys, so that positions are
//! stable. The table below has the same information as text.

use leptos::prelude::*;
use plexus_domain::sanitized_text::ellipsize;

use super::{name_of, state};
use crate::{
    text,
    view_models::network::{HubRow, HubState},
};

/// Maximum number of hubs in the graph.
const MAX_ITEMS: usize = 40;

/// Width in SVG units, narrow enough for a phone.
const WIDTH: u64 = 400;
const MIDDLE: u64 = WIDTH / 2;
const ROW: u64 = 32;
const LOWEST: u64 = 128;
/// Horizontal distance from the middle to the top and bottom of each side.
const NEAR: u64 = 38;
/// How much farther out the middle of each side is.
const BOW: u64 = 18;
/// Distance from a hub to its name.
const GAP: u64 = 12;
/// Characters of a name that fit beside a hub; wide letters count as two.
const NAME_CHARS: usize = 18;
/// First code point that is treated as a wide letter.
const FIRST_WIDE: char = '\u{1100}';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelSide {
    Left,
    Right,
}

/// Position of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodePosition {
    side: LabelSide,
    x: u64,
    y: u64,
}

pub(super) fn drawing(own_name: &str, hubs: &[HubRow]) -> AnyView {
    let drawn = chosen(hubs);
    let height = height(drawn.len());
    let places: Vec<NodePosition> = (0..drawn.len()).map(|index| place(index, drawn.len())).collect();
    let both = || drawn.iter().zip(&places);
    let links = both().filter(|(hub, _)| hub.connected).map(|(_, place)| link(*place, height)).collect_view();
    let nodes = both().map(|(hub, place)| node(hub, *place)).collect_view();
    let (view_box, middle) = (format!("0 0 {WIDTH} {height}"), height / 2);
    let under = middle + 24;
    let left_out = hubs.len() - drawn.len();
    let left_out = (left_out > 0).then(|| {
        view! { <p class="quiet">{text!("graph-omitted", count = left_out)}</p> }
    });
    view! {
        <figure class="network-map">
            <svg viewBox=view_box role="img" aria-labelledby="map-title map-told">
                <title id="map-title">{text!("graph-title")}</title>
                <desc id="map-told">{text_alternative(own_name, &drawn)}</desc>
                {links}
                <circle class="own" cx=MIDDLE cy=middle r="10"></circle>
                <text class="own-name" x=MIDDLE y=under text-anchor="middle">{text!("network-this-hub")}</text>
                {nodes}
            </svg>
            <figcaption>{legend()}{left_out}</figcaption>
        </figure>
    }
    .into_any()
}

/// Selects the hubs to draw, in the order of their keys. Connected and recently active ones take precedence.
fn chosen(hubs: &[HubRow]) -> Vec<&HubRow> {
    let mut chosen: Vec<&HubRow> = hubs.iter().collect();
    let liveliness = |hub: &HubRow| match hub.state {
        HubState::Fresh => 0,
        HubState::Stale => 1,
        HubState::Silent => 2,
        HubState::Blocked => 3,
    };
    chosen.sort_by_key(|hub| (!hub.connected, liveliness(hub), &hub.id));
    chosen.truncate(MAX_ITEMS);
    chosen.sort_by_key(|hub| &hub.id);
    chosen
}

const fn height(hubs: usize) -> u64 {
    let rows = (hubs as u64).div_ceil(2) * ROW;
    if rows > LOWEST { rows } else { LOWEST }
}

/// Returns the position of a hub: clockwise from the top, down the right side and up the left one.
fn place(index: usize, of: usize) -> NodePosition {
    let (height, on_right) = (height(of), of.div_ceil(2));
    let (side, row, rows) = if index < on_right {
        (LabelSide::Right, index, on_right)
    } else {
        (LabelSide::Left, of - 1 - index, of - on_right)
    };
    let y = (height - rows as u64 * ROW) / 2 + row as u64 * ROW + ROW / 2;
    // A parabola approximates the circle here, and needs no square roots.
    let (half, off) = (height / 2, y.abs_diff(height / 2));
    let from_middle = NEAR + BOW * (half * half - off * off) / (half * half);
    let x = match side {
        LabelSide::Left => MIDDLE - from_middle,
        LabelSide::Right => MIDDLE + from_middle,
    };
    NodePosition { side, x, y }
}

fn link(place: NodePosition, height: u64) -> AnyView {
    let middle = height / 2;
    view! { <line class="link" x1=MIDDLE y1=middle x2=place.x y2=place.y></line> }.into_any()
}

fn node(hub: &HubRow, place: NodePosition) -> AnyView {
    let NodePosition { side, x, y } = place;
    let (name_x, anchor) = match side {
        LabelSide::Left => (x - GAP, "end"),
        LabelSide::Right => (x + GAP, "start"),
    };
    let (name, base) = (fitted(&name_of(hub)), y + 4);
    view! {
        {symbol(hub.state, x, y)}
        <text class="name" x=name_x y=base text-anchor=anchor>{name}</text>
    }
    .into_any()
}

/// Renders the symbol of a state: a disc, a ring, a broken ring, or a crossed-out square.
fn symbol(state: HubState, x: u64, y: u64) -> AnyView {
    let class = class(state);
    if state != HubState::Blocked {
        return view! { <circle class=class cx=x cy=y r="7"></circle> }.into_any();
    }
    let crossed = format!("M{} {}h12v12h-12zl12 12", x - 6, y - 6);
    view! { <path class=class d=crossed></path> }.into_any()
}

const fn class(state: HubState) -> &'static str {
    match state {
        HubState::Fresh => "node fresh",
        HubState::Stale => "node stale",
        HubState::Silent => "node silent",
        HubState::Blocked => "node blocked",
    }
}

fn fitted(name: &str) -> String {
    let is_wide = name.chars().any(|letter| letter >= FIRST_WIDE);
    ellipsize(name, if is_wide { NAME_CHARS / 2 } else { NAME_CHARS })
}

/// Returns the text alternative of the graph.
fn text_alternative(own_name: &str, hubs: &[&HubRow]) -> String {
    let one = |hub: &&HubRow| {
        let (name, state) = (name_of(hub), state(hub.state).0);
        match hub.connected {
            true => text!("graph-hub-connected", name = name, state = state),
            false => text!("graph-hub", name = name, state = state),
        }
    };
    let hubs: Vec<String> = hubs.iter().map(one).collect();
    text!("graph-text", name = own_name, hubs = hubs.join("; "))
}

fn legend() -> AnyView {
    let states = [HubState::Fresh, HubState::Stale, HubState::Silent, HubState::Blocked];
    let items = states.map(|it| {
        view! { <li><svg viewBox="0 0 20 20" aria-hidden="true">{symbol(it, 10, 10)}</svg>{state(it).0}</li> }
    });
    view! {
        <ul class="legend" role="list">
            {items.into_iter().collect_view()}
            <li><svg viewBox="0 0 20 20" aria-hidden="true"><line class="link" x1="0" y1="10" x2="20" y2="10"></line></svg>{text!("graph-connected")}</li>
        </ul>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    fn hub(id: &str, state: HubState, connected: bool) -> HubRow {
        HubRow {
            id: id.to_owned(),
            name: Some(format!("Hub {id}")),
            domain: None,
            state,
            connected,
            agents: 0,
            last_seen: Timestamp::from_millis(0),
            sync_progress: None,
        }
    }

    #[test]
    fn no_two_hubs_meet_and_all_names_have_room() {
        for of in 1..=MAX_ITEMS {
            let places: Vec<NodePosition> = (0..of).map(|index| place(index, of)).collect();
            for (index, one) in places.iter().enumerate() {
                assert!(one.y >= ROW / 2 && one.y + ROW / 2 <= height(of), "{one:?} of {of}");
                assert!(one.x.abs_diff(MIDDLE) <= NEAR + BOW && one.x.abs_diff(MIDDLE) >= NEAR);
                let meets = |other: &NodePosition| other.side == one.side && other.y.abs_diff(one.y) < ROW;
                assert!(!places[index + 1..].iter().any(meets), "{one:?} of {of}");
            }
        }
        assert_eq!((place(0, 4).side, place(3, 4).side), (LabelSide::Right, LabelSide::Left));
        assert!(place(3, 4).y < place(2, 4).y, "clockwise");
    }

    #[test]
    fn of_too_many_the_connected_and_alive_ones_are_drawn_in_the_order_of_their_keys() {
        let mut hubs: Vec<HubRow> =
            (0..MAX_ITEMS).map(|n| hub(&format!("c{n:02}"), HubState::Silent, false)).collect();
        hubs.push(hub("b", HubState::Fresh, false));
        hubs.push(hub("a", HubState::Blocked, true));
        let drawn = chosen(&hubs);
        assert_eq!(drawn.len(), MAX_ITEMS);
        let ids: Vec<&str> = drawn.iter().map(|hub| hub.id.as_str()).collect();
        assert_eq!((ids[0], ids[1], ids[2], ids[MAX_ITEMS - 1]), ("a", "b", "c00", "c37"));
    }

    #[test]
    fn the_drawing_is_told() {
        let hubs = [hub("a", HubState::Fresh, true), hub("b", HubState::Blocked, false)];
        let told = text_alternative("Plexus", &hubs.iter().collect::<Vec<_>>());
        assert_eq!(told, "Plexus in the middle. Hub a: Alive, connected; Hub b: Blocked.");
        assert_eq!(fitted("网络网络网络网络网络网络").chars().count(), NAME_CHARS / 2);
    }
}
