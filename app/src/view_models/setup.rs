//! View model of the setup page at `/admin/setup`.

/// Next steps after the installation. Posts to `/admin/setup` with `dismissed` (`true` or `false`).
#[derive(Clone, Debug)]
pub struct SetupPage {
    /// Name of the hub.
    pub hub: String,
    pub steps: Vec<SetupItem>,
    /// The home page does not mention the steps any more.
    pub is_dismissed: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct SetupItem {
    pub title: &'static str,
    /// What it is good for, in one sentence.
    pub purpose: &'static str,
    /// Label and address of the page that does it.
    pub label: &'static str,
    pub href: &'static str,
    pub is_done: bool,
}

/// Progress of the setup, for the home page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetupCount {
    pub done: usize,
    pub total: usize,
}
