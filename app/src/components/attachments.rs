//! Files of the composer: those that are added, and the inputs that add more.
//!
//! Without JavaScript the form sends chosen files with the message. `public/attachments.js` uploads them when they are
//! chosen, and fills in the template.

use leptos::prelude::*;

use super::{format::size, icon::Icon};
use crate::{
    text,
    view_models::chat::{AgentChoice, Attachment, Attachments},
};

/// Returns the limits, and what the agent reads, as text.
pub fn limits(attachments: &Attachments, to: Option<&AgentChoice>) -> String {
    let (files, size) = (attachments.max_files, size(attachments.max_bytes));
    let Some((to, modes)) = to.and_then(|to| Some((to, to.accepts.as_ref()?))) else {
        return text!("attach-limits", files = files, size = size);
    };
    let agent = to.name.as_str();
    if modes.is_empty() {
        return text!("attach-limits-none", files = files, size = size, agent = agent);
    }
    let types = modes.join(&text!("list-separator"));
    text!("attach-limits-types", files = files, size = size, agent = agent, types = types)
}

/// Renders the list of added files.
pub fn chips(files: &[Attachment]) -> AnyView {
    let chips = files.iter().map(chip).collect_view();
    view! {
        <ul class="attachments" id="composer-files" role="list" aria-label=text!("attach-list")>{chips}</ul>
        <template id="composer-file-template">
            <li class="attachment">
                {Icon::File.view()}
                <span class="name" dir="auto"></span>
                <span class="quiet size"></span>
                <progress max="1" value="0"></progress>
                <button type="button" class="button quiet"><span class="hidden">{text!("attach-remove")}</span>{Icon::Close.view()}</button>
            </li>
        </template>
    }
    .into_any()
}

fn chip(file: &Attachment) -> AnyView {
    let (id, name) = (file.id.to_string(), file.name.clone());
    let shown = match file.image {
        Some(_) => view! { <img src=file.href.clone() alt="" /> }.into_any(),
        None => Icon::File.view().into_any(),
    };
    view! {
        <li class="attachment">
            <input type="hidden" name="upload" value=id.clone() />
            {shown}
            <span class="name" dir="auto">{name.clone()}</span>
            <span class="quiet size">{size(file.size)}</span>
            <button class="button quiet" name="remove" value=id><span class="hidden">{text!("attach-remove-named", name = name)}</span>{Icon::Close.view()}</button>
        </li>
    }
    .into_any()
}

/// Renders the inputs for files and, on touch devices, for a photo.
pub fn inputs(limits: &str) -> AnyView {
    let title = limits.to_owned();
    view! {
        <label class="attach button quiet" title=title>
            {Icon::Attach.view()}<span class="hidden">{text!("attach-add")}</span>
            <input type="file" name="file" id="composer-file" multiple=true aria-describedby="composer-limits" />
        </label>
        <label class="attach photo button quiet">
            {Icon::Camera.view()}<span class="hidden">{text!("attach-photo")}</span>
            <input type="file" name="photo" id="composer-photo" accept="image/*" capture="environment" aria-describedby="composer-limits" />
        </label>
    }
    .into_any()
}
