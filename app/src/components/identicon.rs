//! Identicons: small lattices of connected nodes, derived from the digest of a seed.
//!
//! The same seed gives the same drawing on every hub.

use std::fmt::Write as _;

use leptos::prelude::*;
use plexus_domain::Digest;

const HUES: u8 = 12;
/// Positions on the lattice: three rows of three.
const PLACES: u8 = 9;
/// Width and height of the drawing.
pub const FIELD: u8 = 48;
/// Distance between neighbouring positions.
const GAP: u8 = 14;

/// Identicon of an agent or a hub. Screen readers skip it, because the name is always shown beside it.
#[component]
pub fn Mark(#[prop(into)] seed: String) -> impl IntoView {
    let drawing = IdenticonDrawing::of(&seed);
    let class = format!("mark hue-{}", drawing.hue);
    view! { <svg class=class viewBox="0 0 48 48" aria-hidden="true" inner_html=drawing.svg()></svg> }
}

/// Logo of the hub software: an identicon with three nodes.
#[component]
pub fn PlexusMark() -> impl IntoView {
    let inner = "<path d=\"M13 35 24 12 36 30Z\"/><circle cx=\"13\" cy=\"35\" r=\"5\"/>\
                 <circle cx=\"36\" cy=\"30\" r=\"5\"/><circle class=\"live\" cx=\"24\" cy=\"12\" r=\"5\"/>";
    view! { <svg class="mark plexus" viewBox="0 0 48 48" aria-hidden="true" inner_html=inner></svg> }
}

/// Avatar of a user: the initials in a neutral disc.
#[component]
pub fn Initials(#[prop(into)] name: String) -> impl IntoView {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).take(2).collect();
    view! { <span class="initials" aria-hidden="true">{letters.to_uppercase()}</span> }
}

/// Shapes of an identicon on a square of [`FIELD`].
#[derive(Debug, PartialEq, Eq)]
pub struct IdenticonDrawing {
    hue: u8,
    shape: NodeShape,
    /// Positions on the lattice, numbered row by row.
    nodes: Vec<u8>,
    edges: Vec<(u8, u8)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeShape {
    Disc,
    Ring,
    Square,
    Diamond,
}

impl IdenticonDrawing {
    pub fn of(seed: &str) -> Self {
        let digest = Digest::of(seed.as_bytes());
        let mut bytes = digest.as_bytes().iter().copied().cycle();
        let mut draw = move |below: u8| bytes.next().unwrap_or_default() % below;
        let hue = draw(HUES);
        let shape =
            [NodeShape::Disc, NodeShape::Ring, NodeShape::Square, NodeShape::Diamond][usize::from(draw(4))];
        let nodes = connected_places(5 + draw(5), &mut draw);
        let edges = joined(&nodes, &mut draw);
        Self { hue, shape, nodes, edges }
    }

    /// Returns the hue of the colour in degrees of OKLCH, as the style sheet has it.
    pub fn hue_degrees(&self) -> u16 {
        15 + 30 * u16::from(self.hue)
    }

    pub const fn shape(&self) -> NodeShape {
        self.shape
    }

    /// Returns the middles of the nodes.
    pub fn nodes(&self) -> impl Iterator<Item = (u8, u8)> {
        self.nodes.iter().copied().map(self.points())
    }

    /// Returns the ends of the edges.
    pub fn edges(&self) -> impl Iterator<Item = [(u8, u8); 2]> {
        let point = self.points();
        self.edges.iter().map(move |&(a, b)| [point(a), point(b)])
    }

    fn svg(&self) -> String {
        let mut svg = String::from("<path d=\"");
        for [(ax, ay), (bx, by)] in self.edges() {
            let _ = write!(svg, "M{ax} {ay} {bx} {by}");
        }
        svg.push_str("\"/>");
        self.nodes().for_each(|middle| self.shape.draw(middle, &mut svg));
        svg
    }

    /// Returns the function from a position on the lattice to its point in the drawing.
    fn points(&self) -> impl Fn(u8) -> (u8, u8) + use<> {
        let left = self.middle(|place| place % 3);
        let top = self.middle(|place| place / 3);
        move |place| (left + GAP * (place % 3), top + GAP * (place / 3))
    }

    /// Returns the offset of the lattice on one axis that centres the drawing.
    fn middle(&self, axis: impl Fn(u8) -> u8) -> u8 {
        let used = self.nodes.iter().map(|&place| axis(place));
        let (low, high) = (used.clone().min().unwrap_or(0), used.max().unwrap_or(2));
        FIELD / 2 - GAP * (low + high) / 2
    }
}

impl NodeShape {
    fn draw(self, (x, y): (u8, u8), svg: &mut String) {
        let _ = match self {
            Self::Disc => write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\"/>"),
            Self::Ring => write!(svg, "<circle class=\"ring\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"),
            Self::Square => {
                write!(svg, "<rect x=\"{}\" y=\"{}\" width=\"8\" height=\"8\" rx=\"1\"/>", x - 4, y - 4)
            }
            Self::Diamond => write!(svg, "<path class=\"node\" d=\"M{x} {}l6 6-6 6-6-6z\"/>", y - 6),
        };
    }
}

/// Returns up to `count` connected positions. Each one is adjacent to an earlier one.
fn connected_places(count: u8, draw: &mut impl FnMut(u8) -> u8) -> Vec<u8> {
    let mut places = vec![draw(PLACES)];
    while places.len() < usize::from(count) {
        let border: Vec<u8> = (0..PLACES)
            .filter(|place| !places.contains(place) && places.iter().any(|&other| adjacent(*place, other)))
            .collect();
        let Some(&next) = border.get(usize::from(draw(u8::try_from(border.len()).unwrap_or(1).max(1))))
        else {
            break;
        };
        places.push(next);
    }
    places
}

/// Returns the edges: one from each node to an earlier adjacent node, plus random extra ones.
///
/// Each further adjacent pair is joined with probability 1/6.
fn joined(nodes: &[u8], draw: &mut impl FnMut(u8) -> u8) -> Vec<(u8, u8)> {
    let mut edges = Vec::new();
    for (index, &node) in nodes.iter().enumerate() {
        let before: Vec<u8> = nodes[..index].iter().copied().filter(|&other| adjacent(node, other)).collect();
        let chosen = draw(u8::try_from(before.len()).unwrap_or(1).max(1));
        for (at, &other) in before.iter().enumerate() {
            if at == usize::from(chosen) || draw(6) == 0 {
                edges.push((other, node));
            }
        }
    }
    edges
}

/// True for horizontal, vertical and diagonal neighbours.
const fn adjacent(a: u8, b: u8) -> bool {
    (a / 3).abs_diff(b / 3) <= 1 && (a % 3).abs_diff(b % 3) <= 1 && a != b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_drawing() {
        assert_eq!(IdenticonDrawing::of("pl1abc"), IdenticonDrawing::of("pl1abc"));
        assert_eq!(IdenticonDrawing::of("@plexus/calc").svg(), IdenticonDrawing::of("@plexus/calc").svg(),);
        assert_ne!(IdenticonDrawing::of("@plexus/calc").svg(), IdenticonDrawing::of("@plexus/ca1c").svg());
    }

    #[test]
    fn every_drawing_is_one_piece_of_five_to_nine_nodes() {
        for n in 0..500 {
            let drawing = IdenticonDrawing::of(&format!("seed {n}"));
            assert!((5..=9).contains(&drawing.nodes.len()));
            assert!(drawing.edges.len() + 1 >= drawing.nodes.len(), "a tree at least: {drawing:?}");
            assert!(drawing.edges.iter().all(|&(a, b)| adjacent(a, b)));
        }
    }

    #[test]
    fn drawings_rarely_meet() {
        let mut drawings: Vec<_> = (0..2_000)
            .map(|n| IdenticonDrawing::of(&format!("agent {n}")))
            .map(|d| (d.hue, d.svg()))
            .collect();
        drawings.sort();
        drawings.dedup();
        assert!(drawings.len() > 1_980, "{}", drawings.len());
    }
}
