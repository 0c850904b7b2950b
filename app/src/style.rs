//! The style sheet: one file for the browser, one per layer for us.

/// Later layers win over earlier ones, whatever the selectors.
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
