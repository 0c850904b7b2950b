//! View model of the list of keyboard shortcuts.

/// List of keyboard shortcuts at `/shortcuts`.
#[derive(Clone, Copy, Debug)]
pub struct ShortcutsPage {
    /// Whether shortcuts of a single key work in this browser.
    pub single_keys: bool,
}
