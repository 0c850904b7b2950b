//! Draws the picture that other sites show for a link to a chat: the identicons of its agents, without text, since a
//! hub has no fonts.

use plexus_app::{
    components::identicon::{FIELD, IdenticonDrawing, NodeShape},
    pages::SOCIAL_PICTURE_SIZE,
};
use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

/// Maximum number of identicons.
const MAX_MARKS: usize = 5;
/// Pixels for one unit of an identicon's field.
const MARK_SCALE: f32 = 5.0;
/// Distance between two identicons and height of the logo, in pixels.
const GAP: f32 = 36.0;
const LOGO: f32 = 72.0;

/// A colour in OKLCH (lightness, chroma, hue in degrees), as in the style sheet.
type Oklch = (f32, f32, f32);

// `style/tokens.css`, in the light theme.
const PAPER: Oklch = (0.985, 0.003, 255.0);
const INK: Oklch = (0.24, 0.02, 255.0);
const SIGNAL: Oklch = (0.56, 0.17, 38.0);

/// Draws the identicons of these seeds as PNG. Without seeds, the logo stands alone.
pub fn draw(seeds: &[String]) -> anyhow::Result<Vec<u8>> {
    let (width, height) = SOCIAL_PICTURE_SIZE;
    let mut picture =
        Pixmap::new(width.into(), height.into()).ok_or_else(|| anyhow::anyhow!("the picture has no size"))?;
    picture.fill(rgb(PAPER));
    let (width, height) = (f32::from(width), f32::from(height));
    let field = f32::from(FIELD);
    let marks: Vec<IdenticonDrawing> =
        seeds.iter().take(MAX_MARKS).map(|seed| IdenticonDrawing::of(seed)).collect();
    if marks.is_empty() {
        let size = field * MARK_SCALE;
        draw_logo(&mut picture, placed((width - size) / 2.0, (height - size) / 2.0, MARK_SCALE));
        return Ok(picture.encode_png()?);
    }
    // The number of marks is at most five.
    let count = u8::try_from(marks.len()).map_or(1.0, f32::from);
    let scale = MARK_SCALE.min((width - 2.0 * GAP - (count - 1.0) * GAP) / count / field);
    let size = field * scale;
    let mut left = (width - count * size - (count - 1.0) * GAP) / 2.0;
    let top = (height - size - LOGO) / 2.0;
    for mark in &marks {
        draw_mark(&mut picture, mark, placed(left, top, scale));
        left += size + GAP;
    }
    draw_logo(&mut picture, placed((width - LOGO) / 2.0, height - LOGO - GAP, LOGO / field));
    Ok(picture.encode_png()?)
}

fn placed(left: f32, top: f32, scale: f32) -> Transform {
    Transform::from_translate(left, top).pre_scale(scale, scale)
}

fn draw_mark(picture: &mut Pixmap, mark: &IdenticonDrawing, at: Transform) {
    let hue = f32::from(mark.hue_degrees());
    let solid = paint((0.56, 0.13, hue), 1.0);
    let mut edges = PathBuilder::new();
    for [(ax, ay), (bx, by)] in mark.edges() {
        edges.move_to(ax.into(), ay.into());
        edges.line_to(bx.into(), by.into());
    }
    stroke(picture, edges.finish(), &paint((0.56, 0.13, hue), 0.5), at);
    for (x, y) in mark.nodes() {
        let (x, y) = (f32::from(x), f32::from(y));
        let mut node = PathBuilder::new();
        match mark.shape() {
            NodeShape::Disc => node.push_circle(x, y, 5.0),
            NodeShape::Ring => node.push_circle(x, y, 4.0),
            NodeShape::Square => polygon(
                &mut node,
                [(x - 4.0, y - 4.0), (x + 4.0, y - 4.0), (x + 4.0, y + 4.0), (x - 4.0, y + 4.0)],
            ),
            NodeShape::Diamond => {
                polygon(&mut node, [(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y)]);
            }
        }
        let node = node.finish();
        match mark.shape() {
            NodeShape::Ring => {
                fill(picture, node.as_ref(), &paint(PAPER, 1.0), at);
                stroke(picture, node, &solid, at);
            }
            NodeShape::Disc | NodeShape::Square | NodeShape::Diamond => {
                fill(picture, node.as_ref(), &solid, at);
            }
        }
    }
}

/// Draws the logo: the shapes of [`plexus_app::components::identicon::PlexusMark`].
fn draw_logo(picture: &mut Pixmap, at: Transform) {
    let mut edges = PathBuilder::new();
    polygon(&mut edges, [(13.0, 35.0), (24.0, 12.0), (36.0, 30.0)]);
    stroke(picture, edges.finish(), &paint(INK, 1.0), at);
    for (x, y, colour) in [(13.0, 35.0, INK), (36.0, 30.0, INK), (24.0, 12.0, SIGNAL)] {
        fill(picture, PathBuilder::from_circle(x, y, 5.0).as_ref(), &paint(colour, 1.0), at);
    }
}

fn polygon<const N: usize>(path: &mut PathBuilder, corners: [(f32, f32); N]) {
    let [(x, y), ..] = corners.as_slice() else { return };
    path.move_to(*x, *y);
    corners[1..].iter().for_each(|&(x, y)| path.line_to(x, y));
    path.close();
}

fn fill(picture: &mut Pixmap, path: Option<&Path>, paint: &Paint<'_>, at: Transform) {
    if let Some(path) = path {
        picture.fill_path(path, paint, FillRule::Winding, at, None);
    }
}

fn stroke(picture: &mut Pixmap, path: Option<Path>, paint: &Paint<'_>, at: Transform) {
    let line =
        Stroke { width: 3.0, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    if let Some(path) = path {
        picture.stroke_path(&path, paint, &line, at, None);
    }
}

fn paint(colour: Oklch, opacity: f32) -> Paint<'static> {
    let mut colour = rgb(colour);
    colour.set_alpha(opacity);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(colour);
    paint
}

/// Converts a colour to sRGB. Source: the matrices of CSS Color 4, section 18 (Sample code for color conversions).
fn rgb((lightness, chroma, hue): Oklch) -> Color {
    let (a, b) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
    let long = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let medium = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let short = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    let linear = [
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_4 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    ];
    let [red, green, blue] = linear.map(|value| {
        let value = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        value.clamp(0.0, 1.0)
    });
    Color::from_rgba(red, green, blue, 1.0).unwrap_or(Color::BLACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_the_style_sheet() {
        // The pixels that Chromium draws for these colours.
        for (colour, [red, green, blue]) in [(SIGNAL, [195, 69, 23]), (INK, [25, 32, 41])] {
            let shown = rgb(colour).to_color_u8();
            for (shown, expected) in [(shown.red(), red), (shown.green(), green), (shown.blue(), blue)] {
                assert!(shown.abs_diff(expected) <= 1, "{colour:?}: {shown} instead of {expected}");
            }
        }
    }

    #[test]
    fn each_agent_has_its_mark_inside_the_picture() {
        let decoded = |seeds: &[&str]| {
            let seeds: Vec<String> = seeds.iter().map(|&seed| seed.to_owned()).collect();
            Pixmap::decode_png(&draw(&seeds).unwrap()).unwrap()
        };
        let (none, one, many) = (decoded(&[]), decoded(&["a"]), decoded(&["a", "b", "c", "d", "e", "f"]));
        let paper = rgb(PAPER).to_color_u8();
        for picture in [&none, &one, &many] {
            assert_eq!((picture.width(), picture.height()), (1_200, 630));
            let is_paper = |x, y| picture.pixel(x, y).unwrap().demultiply() == paper;
            assert!((0..1_200).all(|x| is_paper(x, 0) && is_paper(x, 629)), "nothing is cut off");
            assert!((0..630).all(|y| is_paper(0, y) && is_paper(1_199, y)), "nothing is cut off");
            let drawn = picture.pixels().iter().filter(|pixel| pixel.demultiply() != paper).count();
            assert!(drawn > 5_000, "{drawn} pixels are drawn");
        }
        assert_ne!(one.data(), decoded(&["b"]).data());
    }
}
