//! Draws a chart as SVG: bars or lines over labels. Styles are attributes, so the picture needs no style sheet.

use std::fmt::Write as _;

use plexus_domain::sanitized_text::{ellipsize, one_line};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 40.0;
/// Approximate number of grid lines.
const TICKS: f64 = 5.0;
const MAX_LABELS: usize = 12;
const MAX_LABEL_CHARS: usize = 12;
const MAX_TITLE_CHARS: usize = 90;
const MAX_LEGEND_CHARS: usize = 16;
/// Share of the room of a label that its bars take.
const BAR_SHARE: f64 = 0.8;
/// Colours that readers with colour blindness can tell apart (Okabe and Ito, 2008).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChartKind {
    Bars,
    Lines,
}

pub(super) struct Series {
    pub name: String,
    /// `None` where there is no value.
    pub values: Vec<Option<f64>>,
}

pub(super) struct Chart {
    pub kind: ChartKind,
    /// What the labels are, such as "month".
    pub labels_name: String,
    pub labels: Vec<String>,
    pub series: Vec<Series>,
}

impl Chart {
    pub fn render(&self) -> String {
        let scale = Scale::of(self.series.iter().flat_map(|series| &series.values).flatten().copied());
        let title = xml(&ellipsize(&self.title(), MAX_TITLE_CHARS));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#333\">\n<title>{title}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"16\" y=\"24\" font-size=\"14\" font-weight=\"600\">{title}</text>\n"
        );
        self.draw_legend(&mut svg);
        scale.draw_grid(&mut svg);
        match self.kind {
            ChartKind::Bars => self.draw_bars(&mut svg, &scale),
            ChartKind::Lines => self.draw_lines(&mut svg, &scale),
        }
        self.draw_labels(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn title(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let names = match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => names.concat(),
        };
        one_line(&format!("{names} by {}", self.labels_name))
    }

    /// Draws names and colours of the series, if there are several.
    fn draw_legend(&self, svg: &mut String) {
        let room = (WIDTH - LEFT - RIGHT) / COLOURS.len() as f64;
        let series = self.series.iter().zip(COLOURS).enumerate().filter(|_| self.series.len() > 1);
        for (index, (series, colour)) in series {
            let x = LEFT + room * index as f64;
            let name = xml(&ellipsize(&one_line(&series.name), MAX_LEGEND_CHARS));
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"36\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"45\">{name}</text>",
                x + 14.0
            );
        }
    }

    /// Returns the middle of the room of a label.
    fn middle(&self, index: usize) -> f64 {
        LEFT + self.room() * (index as f64 + 0.5)
    }

    fn room(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.labels.len().max(1) as f64
    }

    fn draw_bars(&self, svg: &mut String, scale: &Scale) {
        let width = self.room() * BAR_SHARE / self.series.len().max(1) as f64;
        let zero = scale.y(0.0);
        for (number, (series, colour)) in self.series.iter().zip(COLOURS).enumerate() {
            for (index, value) in series.values.iter().enumerate() {
                let Some(value) = value else { continue };
                let x = self.middle(index) - self.room() * BAR_SHARE / 2.0 + width * number as f64;
                let y = scale.y(*value);
                let (top, height) = (y.min(zero), (y - zero).abs());
                let _ = writeln!(
                    svg,
                    "<rect class=\"bar\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
                );
            }
        }
    }

    /// Draws a line for each run of values. A missing value is a gap.
    fn draw_lines(&self, svg: &mut String, scale: &Scale) {
        for (series, colour) in self.series.iter().zip(COLOURS) {
            let points: Vec<(usize, &Option<f64>)> = series.values.iter().enumerate().collect();
            for run in points.split(|(_, value)| value.is_none()).filter(|run| !run.is_empty()) {
                let mut coordinates = String::new();
                for (index, value) in run {
                    let (x, y) = (self.middle(*index), scale.y(value.unwrap_or_default()));
                    let _ = write!(coordinates, "{x:.1},{y:.1} ");
                    let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
                }
                let _ = writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                    coordinates.trim_end()
                );
            }
        }
    }

    fn draw_labels(&self, svg: &mut String) {
        let every = self.labels.len().div_ceil(MAX_LABELS).max(1);
        for (index, label) in self.labels.iter().enumerate().step_by(every) {
            let label = xml(&ellipsize(&one_line(label), MAX_LABEL_CHARS));
            let (x, y) = (self.middle(index), HEIGHT - BOTTOM + 20.0);
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>");
        }
    }
}

/// The vertical axis, which includes zero, so that lengths of bars are proportional to their values.
struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) =
            values.fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let range = if high > low { high - low } else { 1.0 };
        let power = 10_f64.powf((range / TICKS).log10().floor());
        let factor =
            [1.0_f64, 2.0, 5.0].into_iter().find(|factor| factor * power * TICKS >= range).unwrap_or(10.0);
        let step = factor * power;
        let high = if high > low { (high / step).ceil() * step } else { range };
        Self { low: (low / step).floor() * step, high, step }
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }

    fn draw_grid(&self, svg: &mut String) {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        let lines = ((self.high - self.low) / self.step).round() as usize;
        for line in 0..=lines {
            let value = self.low + self.step * line as f64;
            let (y, colour) = (self.y(value), if value.abs() < self.step / 2.0 { "#666" } else { "#ddd" });
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{value:.decimals$}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0
            );
        }
    }
}

/// Escapes text for XML.
fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(kind: ChartKind, values: &[Option<f64>]) -> String {
        let labels = (0..values.len()).map(|index| format!("<{index}>&")).collect();
        let series = vec![Series { name: "a\"b".to_owned(), values: values.to_vec() }];
        Chart { kind, labels_name: "row".to_owned(), labels, series }.render()
    }

    #[test]
    fn bars_are_proportional_and_labels_are_escaped() {
        let svg = chart(ChartKind::Bars, &[Some(10.0), Some(5.0), Some(-5.0), None]);
        let heights: Vec<f64> = svg
            .lines()
            .filter(|line| line.contains("class=\"bar\""))
            .map(|line| line.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 3);
        assert!(
            (heights[0] - 2.0 * heights[1]).abs() < 0.2 && (heights[1] - heights[2]).abs() < 0.2,
            "{heights:?}"
        );
        assert!(svg.contains(">&lt;0&gt;&amp;</text>") && svg.contains("a&quot;b by row"), "{svg}");
    }

    #[test]
    fn a_gap_divides_a_line() {
        let svg = chart(ChartKind::Lines, &[Some(1.0), None, Some(2.0), Some(3.0)]);
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (2, 3));
    }

    #[test]
    fn values_without_a_range_and_huge_ones_are_drawn() {
        for values in [[Some(0.0), None], [Some(7.0), Some(7.0)], [Some(1e15), Some(-1e-15)]] {
            let svg = chart(ChartKind::Lines, &values);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!((3..12).contains(&svg.matches("<line ").count()), "{svg}");
        }
    }
}
