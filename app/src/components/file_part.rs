//! File of a message: an image, a player, or a card with a download.

use leptos::prelude::*;
use plexus_domain::ImageSize;

use super::{format::size, icon::Icon};
use crate::{text, view_models::message::FilePreview};

/// Returns the name of a file, or what a file without one is called.
pub fn file_name(name: String) -> String {
    if name.is_empty() { text!("message-file") } else { name }
}

/// Renders a file. `href` is `None` while the message is being written.
pub fn file_part(
    name: String,
    media_type: &str,
    bytes: u64,
    preview: FilePreview,
    href: Option<String>,
) -> AnyView {
    let name = file_name(name);
    match (preview, href) {
        (FilePreview::Image(image), Some(href)) => picture(name, href, image),
        (preview, href) => card(name, media_type, bytes, preview, href),
    }
}

/// Renders an image as a link to itself. `site.js` shows it over the page instead.
///
/// `width` and `height` reserve its place before it is loaded.
fn picture(name: String, href: String, image: Option<ImageSize>) -> AnyView {
    let (width, height) = (image.map(|image| image.width), image.map(|image| image.height));
    let (src, label) = (href.clone(), name.clone());
    view! {
        <a class="picture" href=href data-lightbox=label>
            <img src=src alt=name width=width height=height loading="lazy" decoding="async" />
        </a>
    }
    .into_any()
}

fn card(name: String, media_type: &str, bytes: u64, preview: FilePreview, href: Option<String>) -> AnyView {
    let kind = match media_type {
        "" => size(bytes),
        media_type => text!("message-file-kind", media_type = media_type, size = size(bytes)),
    };
    let label = name.clone();
    let look = href.as_ref().and_then(|href| match preview {
        FilePreview::Page => Some(view! { <a class="look" href=format!("{href}/preview")>{text!("message-file-preview")}<span class="hidden">" "{label}</span></a> }.into_any()),
        FilePreview::Browser => Some(view! { <a class="look" href=href.clone() target="_blank" rel="noopener">{text!("message-file-open")}<span class="hidden">" "{text!("message-file-open-about", name = label)}</span></a> }.into_any()),
        FilePreview::Audio => {
            Some(view! { <audio controls preload="none" src=href.clone() aria-label=label></audio> }.into_any())
        }
        FilePreview::Image(_) | FilePreview::None => None,
    });
    let saved_as = name.clone();
    let shown = match href {
        Some(href) => view! { <a href=href download=saved_as>{name}</a> }.into_any(),
        None => view! { <span>{name}</span> }.into_any(),
    };
    view! { <div class="card file">{Icon::File.view()} {shown} " "<span class="quiet">{kind}</span> {look}</div> }
        .into_any()
}
