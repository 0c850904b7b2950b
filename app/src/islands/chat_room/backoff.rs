//! Reconnect backoff, and the rule that holds the view at the end of the page.

/// Returns the reconnect delay in milliseconds: exponential backoff with jitter.
///
/// The delay doubles from 500 ms up to 30 s. `chance` (0 to 1) scales it to between 50 % and 100 %, against a
/// thundering herd when a hub restarts.
pub fn delay(failures: u32, chance: f64) -> u32 {
    const FIRST: u32 = 500;
    const MAX_DURATION: u32 = 30_000;
    let full = FIRST.saturating_mul(1 << failures.min(10)).min(MAX_DURATION);
    let spread = chance.clamp(0.0, 1.0).mul_add(0.5, 0.5);
    // Between 50 % and 100 % of `full`, so the cast is in range.
    (f64::from(full) * spread) as u32
}

/// Auto-scroll state: whether the view stays at the end of the page while text arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScrollPin {
    held: bool,
    at: i32,
}

impl ScrollPin {
    /// Distance to the end, in pixels, below which the view counts as at the end.
    const NEAR: i32 = 60;
    /// Distance to the end, in pixels, above which the "Jump to latest" button is offered.
    const FAR: i32 = 200;
    /// Upward moves up to this many pixels are ignored as unintended.
    const MEANT: i32 = 3;

    pub const fn new() -> Self {
        Self { held: true, at: 0 }
    }

    pub const fn hold(&mut self) {
        self.held = true;
    }

    pub const fn release(&mut self) {
        self.held = false;
    }

    pub const fn holds(self) -> bool {
        self.held
    }

    /// Handles a scroll to `at`, with `rest` pixels below the window.
    ///
    /// Only a move upward releases the end, because growth of the page is not an action of the reader.
    pub const fn scrolled(&mut self, at: i32, rest: i32) {
        if rest < Self::NEAR {
            self.held = true;
        } else if at < self.at - Self::MEANT {
            self.held = false;
        }
        self.at = at;
    }

    /// Handles content that was removed above the view: the lower offset is not an action of the reader.
    pub const fn shrunk(&mut self) {
        self.at = 0;
    }

    pub const fn offers_way_back(self, rest: i32) -> bool {
        !self.held && rest > Self::FAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_grows_to_a_limit_and_is_spread() {
        assert_eq!([delay(0, 0.0), delay(0, 1.0), delay(1, 1.0)], [250, 500, 1_000]);
        assert_eq!([delay(99, 1.0), delay(99, 0.0)], [30_000, 15_000]);
    }

    #[test]
    fn only_the_reader_lets_go_of_the_end() {
        let mut pin = ScrollPin::new();
        pin.scrolled(900, 0);
        pin.scrolled(900, 400);
        assert!(pin.holds(), "the page grew");
        pin.scrolled(898, 402);
        assert!(pin.holds(), "a trembling hand");
        pin.scrolled(800, 500);
        assert!(!pin.holds() && pin.offers_way_back(500) && !pin.offers_way_back(100));
        pin.scrolled(1_300, 20);
        assert!(pin.holds(), "back at the end");
        pin.scrolled(800, 500);
        pin.hold();
        assert!(pin.holds(), "sent there");
        pin.scrolled(900, 0);
        pin.shrunk();
        pin.scrolled(500, 300);
        assert!(pin.holds(), "the oldest messages were removed");
        pin.release();
        pin.scrolled(900, 400);
        assert!(!pin.holds(), "at the message of a link");
    }
}
