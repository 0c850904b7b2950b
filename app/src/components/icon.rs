//! Outline icons from one SVG sprite.
//!
//! Screen readers do not see icons, so each one needs a text or a label beside it.

use leptos::prelude::*;

use super::context;

macro_rules! icons {
    ($($name:ident = $id:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Icon { $($name),* }

        impl Icon {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the id of the symbol in `public/icons.svg`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }
        }
    };
}

icons! {
    Add = "plus",
    Alert = "triangle-alert",
    Answering = "radio",
    Attach = "paperclip",
    Back = "chevron-left",
    BuiltIn = "box",
    Camera = "camera",
    Caution = "shield-question-mark",
    Chat = "message-square",
    Check = "check",
    Chats = "panel-left",
    Close = "x",
    Copy = "copy",
    Data = "braces",
    Delete = "trash-2",
    Done = "circle-check",
    Down = "arrow-down",
    Edit = "pencil",
    External = "external-link",
    Failed = "circle-x",
    File = "file",
    Filter = "list-filter",
    Folder = "folder",
    Fork = "git-branch",
    Forward = "chevron-right",
    Go = "arrow-right",
    Info = "info",
    Key = "key-round",
    Link = "link",
    Lock = "lock",
    More = "ellipsis",
    Offline = "circle-off",
    Open = "chevron-down",
    Paused = "pause",
    People = "users",
    Reasoning = "lightbulb",
    Retry = "rotate-ccw",
    Search = "search",
    Send = "arrow-up",
    Signed = "file-badge",
    SignIn = "log-in",
    Star = "star",
    Stop = "square",
    ThumbDown = "thumbs-down",
    ThumbUp = "thumbs-up",
    Tool = "wrench",
    Unlisted = "eye-off",
    User = "user",
    Verified = "shield-check",
}

impl Icon {
    /// True for icons that point along a line of text; the style sheet mirrors them from right to left.
    const fn is_directional(self) -> bool {
        matches!(self, Self::Back | Self::Forward | Self::Go | Self::SignIn)
    }

    pub fn view(self) -> impl IntoView + use<> {
        let href = format!("{}#{}", context::assets().icons, self.id());
        let class = if self.is_directional() { "icon directional" } else { "icon" };
        view! { <svg class=class aria-hidden="true"><use href=href></use></svg> }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sprite_holds_every_icon_and_no_other() {
        let sprite = include_str!("../../../public/icons.svg");
        for icon in Icon::ALL {
            assert!(sprite.contains(&format!("<symbol id=\"{}\"", icon.id())), "{}", icon.id());
        }
        assert_eq!(sprite.matches("<symbol").count(), Icon::ALL.len());
    }
}
