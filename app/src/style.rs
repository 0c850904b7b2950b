//! Style sheet: one file for the browser, one source file per layer.

/// The complete CSS. Later layers override earlier ones, whatever the specificity of their selectors.
pub const CSS: &str = concat!(
    "@layer reset, tokens, base, layout, components, utilities;\n",
    include_str!("../../style/reset.css"),
    include_str!("../../style/tokens.css"),
    include_str!("../../style/base.css"),
    include_str!("../../style/layout.css"),
    include_str!("../../style/components.css"),
    include_str!("../../style/forms.css"),
    include_str!("../../style/chat.css"),
    include_str!("../../style/prose.css"),
    include_str!("../../style/utilities.css"),
);

#[cfg(test)]
mod tests {
    use super::CSS;

    /// Lightness, chroma, hue.
    type Oklch = [f64; 3];

    /// Returns the value of a token in the light and in the dark theme.
    fn token(name: &str) -> [Oklch; 2] {
        let start = format!("--{name}: light-dark(");
        let line =
            CSS.lines().find_map(|line| line.trim().strip_prefix(&start)).unwrap_or_else(|| panic!("{name}"));
        let mut colours = line.split("oklch(").skip(1).map(|colour| {
            let numbers = colour.split(')').next().unwrap();
            let mut numbers = numbers.split(' ').map(|number| number.parse().unwrap());
            [(); 3].map(|()| numbers.next().unwrap())
        });
        [(); 2].map(|()| colours.next().unwrap())
    }

    /// Returns the relative luminance (WCAG 2.2) by way of linear sRGB (B. Ottosson, "A perceptual color
    /// space").
    fn luminance([lightness, chroma, hue]: Oklch) -> f64 {
        let (a, b) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
        let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
        let red = 4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s;
        let green = -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s;
        let blue = -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s;
        0.2126 * red.clamp(0.0, 1.0) + 0.7152 * green.clamp(0.0, 1.0) + 0.0722 * blue.clamp(0.0, 1.0)
    }

    fn contrast(one: Oklch, other: Oklch) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[track_caller]
    fn at_least(least: f64, fronts: &[&str], backs: &[&str]) {
        for (front, back) in fronts.iter().flat_map(|front| backs.iter().map(move |back| (front, back))) {
            for (theme, (one, other)) in token(front).into_iter().zip(token(back)).enumerate() {
                let found = contrast(one, other);
                assert!(found >= least, "{front} on {back} has {found:.2} in theme {theme}");
            }
        }
    }

    const GROUNDS: &[&str] = &["paper", "raised", "sunken"];

    #[test]
    fn black_on_white_is_as_the_standard_says() {
        assert!((contrast([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]) - 21.0).abs() < 0.01);
    }

    #[test]
    fn text_can_be_read_in_both_themes() {
        at_least(4.5, &["ink", "quiet", "signal", "good", "caution", "bad"], GROUNDS);
        at_least(4.5, &["on-signal"], &["signal"]);
    }

    #[test]
    fn code_can_be_read_in_both_themes() {
        let kinds = ["keyword", "string", "number", "function", "type", "variable"];
        let colours = kinds.map(|kind| format!("code-{kind}"));
        at_least(4.5, &colours.each_ref().map(String::as_str), GROUNDS);
    }

    #[test]
    fn edges_of_controls_can_be_seen_in_both_themes() {
        at_least(3.0, &["edge"], GROUNDS);
    }

    #[test]
    fn marks_can_be_seen_in_both_themes() {
        for hue in (0..12).map(|hue| 15.0 + 30.0 * f64::from(hue)) {
            for ground in GROUNDS {
                let [light, dark] = token(ground);
                assert!(
                    contrast([0.56, 0.13, hue], light) >= 3.0 && contrast([0.76, 0.11, hue], dark) >= 3.0,
                    "{hue}"
                );
            }
        }
    }
}
