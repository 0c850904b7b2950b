//! Report of the use and cost of models: a chart by day, and tables with a bar in each row. Drawn on the server.

use leptos::prelude::*;
use plexus_domain::{Timestamp, money};

use super::{
    empty::Empty,
    section::Section,
    table::Table,
    tabs::{Tab, Tabs},
};
use crate::{
    locales::grouped,
    text,
    view_models::model_usage::{UsageBreakdownRow, UsageReport, UsageSums},
};

/// Size of the chart in SVG units. It is stretched to the width of the page.
const CHART_HEIGHT: u64 = 120;
const DAY_WIDTH: u64 = 12;
const BAR_WIDTH: u64 = 9;
/// Length of the longest bar of a table, in SVG units.
const ROW_WIDTH: u64 = 100;

/// Renders a report. `path` is the page without a query.
pub fn usage_report(report: &UsageReport, path: &'static str) -> AnyView {
    let tabs = report.periods.iter().map(|days| Tab {
        label: text!("usage-days", days = *days),
        href: format!("{path}?days={days}"),
        current: *days == report.days,
    });
    let tabs = tabs.collect();
    let content = if report.total == UsageSums::default() {
        view! { <Empty title=text!("usage-none")><p>{text!("usage-none-why")}</p></Empty> }.into_any()
    } else {
        used(report, path)
    };
    view! { <Tabs label=text!("usage-period") tabs />{content} }.into_any()
}

fn used(report: &UsageReport, path: &'static str) -> AnyView {
    let is_priced = report.total.cost_micro > 0;
    let csv = format!("{path}/csv?days={}", report.days);
    let table = |title: String, head: String, rows: &[UsageBreakdownRow]| {
        (!rows.is_empty()).then(|| section(title, head, rows, is_priced))
    };
    let most = |most: String| text!("usage-chart-tokens", most = most);
    let tokens = chart(text!("usage-tokens"), most, &report.by_day, UsageSums::tokens, grouped);
    let most = |most: String| text!("usage-chart-cost", most = most);
    let cost = is_priced.then(|| {
        chart(text!("usage-cost"), most, &report.by_day, |sums| sums.cost_micro, money::format_micros)
    });
    let days = day_table(&report.by_day, is_priced);
    view! {
        {total(&report.total)}
        <Section title=text!("usage-by-day")>
            {tokens}
            {cost}
            <details class="fold"><summary>{text!("usage-each-day")}</summary>{days}</details>
            <p><a href=csv download="">{text!("usage-csv")}</a></p>
        </Section>
        {table(text!("usage-by-provider"), text!("provider"), &report.providers)}
        {table(text!("usage-by-model"), text!("usage-model"), &report.models)}
        {table(text!("usage-by-user"), text!("usage-user"), &report.accounts)}
        {table(text!("usage-by-agent"), text!("usage-agent"), &report.agents)}
    }
    .into_any()
}

fn total(sums: &UsageSums) -> AnyView {
    let figure = |number: String, what: String| {
        view! { <li><span class="number">{number}</span>{what}</li> }
    };
    let cost = (sums.cost_micro > 0)
        .then(|| figure(money::format_micros(sums.cost_micro), text!("usage-figure-cost")));
    view! {
        <ul class="figures" role="list">
            {figure(grouped(sums.answers), text!("usage-figure-answers", count = sums.answers))}
            {figure(grouped(sums.tokens_in), text!("usage-figure-input"))}
            {figure(grouped(sums.tokens_out), text!("usage-figure-output"))}
            {cost}
        </ul>
    }
    .into_any()
}

/// Renders one bar for each day. The table has the same numbers, so the bars are one image to assistive technology.
fn chart(
    title: String,
    describe: impl Fn(String) -> String,
    days: &[(Timestamp, UsageSums)],
    value: impl Fn(&UsageSums) -> u64,
    format: impl Fn(u64) -> String,
) -> AnyView {
    let most = days.iter().map(|(_, sums)| value(sums)).max().unwrap_or(0).max(1);
    let bars = days
        .iter()
        .zip(0_u64..)
        .map(|((day, sums), place)| {
            let value = value(sums);
            let height = scaled(value, most, CHART_HEIGHT);
            let title = format!("{}: {}", day.to_date(), format(value));
            view! {
                <rect class="bar" x=place * DAY_WIDTH y=CHART_HEIGHT - height width=BAR_WIDTH height=height>
                    <title>{title}</title>
                </rect>
            }
        })
        .collect_view();
    let width = DAY_WIDTH * (days.len() as u64).max(1);
    let view_box = format!("0 0 {width} {CHART_HEIGHT}");
    let (first, last) = (days.first().map(|day| day.0.to_date()), days.last().map(|day| day.0.to_date()));
    let label = describe(format(most));
    let up_to = text!("usage-up-to", most = format(most));
    view! {
        <figure class="usage-chart">
            <figcaption>{title}" "<span class="quiet">{up_to}</span></figcaption>
            <svg viewBox=view_box preserveAspectRatio="none" role="img" aria-label=label>{bars}</svg>
            <p class="quiet small"><span>{first}</span><span>{last}</span></p>
        </figure>
    }
    .into_any()
}

/// Returns the length of a bar, at least one unit for a value above zero.
fn scaled(value: u64, most: u64, length: u64) -> u64 {
    let scaled = u128::from(value) * u128::from(length) / u128::from(most.max(1));
    u64::try_from(scaled).unwrap_or(length).max(u64::from(value > 0))
}

fn day_table(days: &[(Timestamp, UsageSums)], is_priced: bool) -> AnyView {
    let used = days.iter().rev().filter(|(_, sums)| *sums != UsageSums::default());
    let rows = used
        .map(|(day, sums)| {
            view! { <tr><th scope="row" class="number">{day.to_date()}</th>{numbers(sums, is_priced)}</tr> }
                .into_any()
        })
        .collect();
    view! { <Table caption=text!("usage-caption") heads=heads(text!("usage-day"), is_priced) rows /> }
        .into_any()
}

fn section(title: String, head: String, rows: &[UsageBreakdownRow], is_priced: bool) -> AnyView {
    let most = rows.iter().map(|row| row.sums.tokens()).max().unwrap_or(0);
    let rows = rows
        .iter()
        .map(|row| {
            let label = row.label.clone();
            let label = match row.href.clone() {
                Some(href) => view! { <a href=href>{label}</a> }.into_any(),
                None => label.into_any(),
            };
            view! { <tr><th scope="row">{label}{bar(row.sums.tokens(), most)}</th>{numbers(&row.sums, is_priced)}</tr> }
                .into_any()
        })
        .collect();
    view! { <Section title=title.clone()><Table caption=title heads=heads(head, is_priced) rows /></Section> }
        .into_any()
}

/// Renders the share of a row as a bar. The row has the number, so the bar is hidden from assistive technology.
fn bar(value: u64, most: u64) -> AnyView {
    let width = scaled(value, most, ROW_WIDTH);
    let view_box = format!("0 0 {ROW_WIDTH} 4");
    view! {
        <svg class="usage-bar" viewBox=view_box preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar" x="0" y="0" width=width height="4"></rect>
        </svg>
    }
    .into_any()
}

fn heads(first: String, is_priced: bool) -> Vec<String> {
    let mut heads = vec![first, text!("usage-answers"), text!("usage-input"), text!("usage-output")];
    if is_priced {
        heads.push(text!("usage-cost"));
    }
    heads
}

fn numbers(sums: &UsageSums, is_priced: bool) -> AnyView {
    let cost = is_priced.then(|| view! { <td class="number">{money::format_micros(sums.cost_micro)}</td> });
    view! {
        <td class="number">{grouped(sums.answers)}</td>
        <td class="number">{grouped(sums.tokens_in)}</td>
        <td class="number">{grouped(sums.tokens_out)}</td>
        {cost}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_longer_than_the_longest() {
        assert_eq!(scaled(50, 100, 120), 60);
        assert_eq!(scaled(100, 100, 120), 120);
        assert_eq!(scaled(1, u64::MAX, 120), 1, "a small value is visible");
        assert_eq!(scaled(0, 0, 120), 0);
        assert_eq!(scaled(u64::MAX, u64::MAX, 120), 120);
    }

    #[test]
    fn a_report_without_prices_has_no_cost() {
        let sums = |cost_micro| UsageSums { answers: 2, tokens_in: 1_200, tokens_out: 300, cost_micro };
        let report = |cost_micro| UsageReport {
            days: 7,
            periods: vec![7, 30],
            total: sums(cost_micro),
            by_day: vec![(Timestamp::from_millis(0), sums(cost_micro))],
            providers: vec![UsageBreakdownRow {
                label: "cellar".to_owned(),
                href: None,
                sums: sums(cost_micro),
            }],
            models: Vec::new(),
            accounts: Vec::new(),
            agents: Vec::new(),
        };
        let html = usage_report(&report(0), "/settings/usage").to_html();
        assert!(html.contains("1,200") && !html.contains("Cost") && !html.contains("By user"), "{html}");
        let html = usage_report(&report(50_000), "/settings/usage").to_html();
        assert!(html.contains("0.05") && html.contains("/settings/usage/csv?days=7"), "{html}");
    }
}
