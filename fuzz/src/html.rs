//! Assertions that HTML is harmless, based on the tokenizer of the HTML specification that browsers follow.

use std::cell::RefCell;

use html5ever::{
    Attribute,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states::RawKind},
};

/// Allow-list of elements in rendered Markdown.
const ELEMENTS: &str = "a b blockquote br code del details div em figcaption figure h3 h4 h5 h6 hr i input ins kbd li \
    mark ol p pre q s samp small span strong sub summary sup table tbody td th thead tr u ul var \
    math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow mspace msqrt mstyle msub \
    msubsup msup mtable mtd mtext mtr munder munderover";
/// Elements that user content must never add to a page.
const FORBIDDEN_ON_PAGES: &[&str] =
    &["iframe", "object", "embed", "base", "applet", "frame", "frameset", "style"];
/// Attributes that contain URLs.
const PLACES: &[&str] =
    &["href", "src", "action", "formaction", "data", "poster", "srcset", "xlink:href", "ping"];

/// Asserts that rendered Markdown has only known elements, no scripts or styles, and only safe link targets.
pub fn assert_harmless(html: &str) {
    for (name, attributes) in tags(html) {
        assert!(ELEMENTS.split(' ').any(|known| known == name), "<{name}> in {html:?}");
        for (attribute, value) in attributes {
            assert!(!attribute.starts_with("on") && attribute != "style", "{attribute} in {html:?}");
            if PLACES.contains(&attribute.as_str()) {
                assert_eq!(attribute, "href", "in {html:?}");
                let starts = ["http://", "https://", "mailto:", "/", "#user-content-"];
                let lower = value.to_ascii_lowercase();
                assert!(starts.iter().any(|start| lower.starts_with(start)), "{value:?} in {html:?}");
                assert!(!lower.starts_with("//") && !lower.starts_with("/\\"), "{value:?} in {html:?}");
            }
            assert!(attribute != "id" || value.starts_with("user-content-"), "id={value:?} in {html:?}");
        }
    }
}

/// Asserts that every script on a page has the CSP nonce of this response, and that nothing else can run
/// code.
pub fn assert_safe_page(html: &str, nonce: &str) {
    for (name, attributes) in tags(html) {
        assert!(!FORBIDDEN_ON_PAGES.contains(&name.as_str()), "<{name}> on a page");
        let of = |wanted: &str| {
            attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
        };
        assert!(name != "script" || of("nonce") == Some(nonce), "a script without the nonce: {attributes:?}");
        for (attribute, value) in &attributes {
            assert!(!attribute.starts_with("on") && attribute != "style", "{attribute}={value:?} on a page");
            let place = value.trim().to_ascii_lowercase();
            let is_place = PLACES.contains(&attribute.as_str());
            assert!(!is_place || !place.starts_with("javascript:"), "{attribute}={value:?} on a page");
        }
    }
}

type Tag = (String, Vec<(String, String)>);

/// Returns the start tags with their attributes.
fn tags(html: &str) -> Vec<Tag> {
    let tokenizer = Tokenizer::new(Tags::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.take()
}

#[derive(Default)]
struct Tags(RefCell<Vec<Tag>>);

impl TokenSink for Tags {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        let pair = |attribute: &Attribute| (attribute.name.local.to_string(), attribute.value.to_string());
        self.0.borrow_mut().push((tag.name.to_string(), tag.attrs.iter().map(pair).collect()));
        match tag.name.as_ref() {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
            "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }
}
