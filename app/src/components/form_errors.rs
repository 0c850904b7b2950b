//! Error summary at the top of a form, with a link to each invalid field.

use leptos::prelude::*;

use super::field::field_id;
use crate::{locales::translated, text, view_models::Form};

/// Renders the error summary, or `None` if the form has no errors.
///
/// It takes the focus, so that screen readers read it first.
pub fn form_errors(form: &Form, scope: Option<&'static str>) -> Option<AnyView> {
    let errors = form.errors();
    if errors.is_empty() {
        return None;
    }
    let items = errors
        .iter()
        .map(|(field, message)| {
            let message = translated(message.clone());
            if field.is_empty() {
                view! { <li>{message}</li> }.into_any()
            } else {
                let href = format!("#{}", field_id(scope, field));
                view! { <li><a href=href>{message}</a></li> }.into_any()
            }
        })
        .collect_view();
    let view = view! {
        <div class="notice bad form-errors" role="alert" tabindex="-1" autofocus=true>
            <p><strong>{text!("correct-errors", count = errors.len())}</strong></p>
            <ul>{items}</ul>
        </div>
    };
    Some(view.into_any())
}
