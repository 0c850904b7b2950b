//! Content of a text file or table, as text only.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{button::ButtonLink, file_part::file_name, format::size, icon::Icon, notice::Note},
    text,
    view_models::file_preview::{FileContent, FilePreviewPage},
};

impl Page for FilePreviewPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(file_name(self.name.clone()))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let name = file_name(self.name);
        let about = text!("message-file-kind", media_type = self.media_type, size = size(self.size));
        let cut = self.is_cut.then(|| view! { <Note>{text!("file-cut")}</Note> });
        let content = match self.content {
            FileContent::Text(text) => {
                view! { <pre class="preview" tabindex="0" dir="auto"><code>{text}</code></pre> }.into_any()
            }
            FileContent::Table { head, rows } => table(&name, head, rows),
        };
        view! {
            <div class="file-page">
                <div class="file-head">
                    <div><h1 dir="auto">{name}</h1><p class="quiet">{about}</p></div>
                    <ButtonLink label=text!("file-download") href=self.href icon=Icon::Down />
                </div>
                {cut}
                {content}
            </div>
        }
        .into_any()
    }
}

fn table(name: &str, head: Vec<String>, rows: Vec<Vec<String>>) -> AnyView {
    let label = name.to_owned();
    let caption = name.to_owned();
    let head = head.into_iter().map(|cell| view! { <th scope="col" dir="auto">{cell}</th> }).collect_view();
    let row = |cells: Vec<String>| {
        let cells = cells.into_iter().map(|cell| view! { <td dir="auto">{cell}</td> }).collect_view();
        view! { <tr>{cells}</tr> }
    };
    let rows = rows.into_iter().map(row).collect_view();
    view! {
        <div class="table" role="region" aria-label=label tabindex="0">
            <table><caption class="hidden">{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>
        </div>
    }
    .into_any()
}
