//! Quota usage: a bar and numbers per quota.

use leptos::prelude::*;

use crate::view_models::settings::UsageRow;

/// Share of a quota, in percent, from which its bar shows a warning.
const HIGH: u64 = 80;

/// Renders one row per quota.
pub fn usage(rows: &[UsageRow]) -> AnyView {
    let rows = rows.iter().map(row).collect_view();
    view! { <dl class="facts usage">{rows}</dl> }.into_any()
}

fn row(row: &UsageRow) -> AnyView {
    // A `<meter>` with a maximum of 0 always appears empty, so a quota of 0 is drawn as 1.
    let most = row.limit.max(1);
    let high = most.saturating_mul(HIGH) / 100;
    let (label, words, used) = (row.label.clone(), row.words.clone(), row.used);
    view! {
        <div><dt>{label.clone()}</dt>
        <dd><meter min="0" max=most high=high value=used.min(most) aria-label=label>{words.clone()}</meter>" "{words}</dd></div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_tells_what_is_used_and_never_more_than_there_is() {
        let row =
            |used, limit| UsageRow { label: "Stars".to_owned(), used, limit, words: "words".to_owned() };
        let html = usage(&[row(3, 500), row(7, 5), row(0, 0)]).to_html();
        assert!(html.contains(r#"max="500" high="400" value="3""#), "{html}");
        assert!(html.contains(r#"max="5" high="4" value="5""#), "{html}");
        assert!(html.contains(r#"max="1" high="0" value="0""#), "{html}");
    }
}
