//! View of an image as its orientation shows it, without a copy of its pixels.

use image::{GenericImageView, ImageBuffer, Pixel, metadata::Orientation};

pub struct Turned<'a, P: Pixel> {
    image: &'a ImageBuffer<P, Vec<P::Subpixel>>,
    orientation: Orientation,
}

impl<'a, P: Pixel> Turned<'a, P> {
    pub const fn new(image: &'a ImageBuffer<P, Vec<P::Subpixel>>, orientation: Orientation) -> Self {
        Self { image, orientation }
    }
}

impl<P: Pixel> GenericImageView for Turned<'_, P> {
    type Pixel = P;

    fn dimensions(&self) -> (u32, u32) {
        let (width, height) = self.image.dimensions();
        match self.orientation {
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => (width, height),
            Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH => (height, width),
        }
    }

    fn get_pixel(&self, x: u32, y: u32) -> P {
        let (width, height) = self.image.dimensions();
        let (right, bottom) = (width - 1, height - 1);
        let (x, y) = match self.orientation {
            Orientation::NoTransforms => (x, y),
            Orientation::FlipHorizontal => (right - x, y),
            Orientation::Rotate180 => (right - x, bottom - y),
            Orientation::FlipVertical => (x, bottom - y),
            Orientation::Rotate90 => (y, bottom - x),
            Orientation::Rotate270 => (right - y, x),
            Orientation::Rotate90FlipH => (y, x),
            Orientation::Rotate270FlipH => (right - y, bottom - x),
        };
        *self.image.get_pixel(x, y)
    }
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, RgbImage};

    use super::*;

    #[test]
    fn a_view_equals_the_turned_copy() {
        let image = RgbImage::from_fn(3, 2, |x, y| image::Rgb([x as u8, y as u8, 0]));
        for value in 1..=8 {
            let orientation = Orientation::from_exif(value).unwrap();
            let mut copy = DynamicImage::ImageRgb8(image.clone());
            copy.apply_orientation(orientation);
            let view = Turned::new(&image, orientation);
            assert_eq!(view.dimensions(), (copy.width(), copy.height()), "{value}");
            let pixels: Vec<_> = view.pixels().map(|(_, _, pixel)| pixel).collect();
            assert_eq!(pixels, copy.to_rgb8().pixels().copied().collect::<Vec<_>>(), "{value}");
        }
    }
}
