//! Form fields: label, hint, control and error, linked by ARIA attributes.

use leptos::prelude::*;

use super::{format::in_textarea, icon::Icon};
use crate::{locales::translated, text, view_models::Form};

enum Control {
    Input(&'static str),
    Lines(u8),
    Choice(Vec<(String, String)>),
    File { accept: &'static str, is_multiple: bool },
}

/// Builder of a form field; [`Field::of`] renders it.
pub struct Field {
    name: &'static str,
    label: String,
    control: Control,
    hint: Option<String>,
    scope: Option<&'static str>,
    default: String,
    autocomplete: Option<&'static str>,
    placeholder: Option<String>,
    required: bool,
    optional: bool,
    mono: bool,
    max: Option<u32>,
    /// Values that the browser offers.
    options: Vec<String>,
}

impl Field {
    fn new(name: &'static str, label: impl Into<String>, control: Control) -> Self {
        Self {
            name,
            label: label.into(),
            control,
            hint: None,
            scope: None,
            default: String::new(),
            autocomplete: None,
            placeholder: None,
            required: true,
            optional: false,
            mono: false,
            max: None,
            options: Vec::new(),
        }
    }

    pub fn text(name: &'static str, label: impl Into<String>) -> Self {
        Self::new(name, label, Control::Input("text"))
    }

    pub fn url(name: &'static str, label: impl Into<String>) -> Self {
        Self::new(name, label, Control::Input("url")).mono()
    }

    pub fn number(name: &'static str, label: impl Into<String>) -> Self {
        Self::new(name, label, Control::Input("number"))
    }

    pub fn email(name: &'static str, label: impl Into<String>) -> Self {
        Self::new(name, label, Control::Input("email")).autocomplete("email").max(254)
    }

    /// Creates a password input. Its value is never rendered, not even after a validation error.
    pub fn password(name: &'static str, label: impl Into<String>) -> Self {
        Self::new(name, label, Control::Input("password"))
    }

    pub fn lines(name: &'static str, label: impl Into<String>, rows: u8) -> Self {
        Self::new(name, label, Control::Lines(rows))
    }

    /// Creates a select box. `options` are (value, label) pairs.
    pub fn choice(name: &'static str, label: impl Into<String>, options: Vec<(String, String)>) -> Self {
        Self::new(name, label, Control::Choice(options))
    }

    /// Creates a choice of a file. `accept` has the extensions and media types that the browser offers.
    pub fn file(name: &'static str, label: impl Into<String>, accept: &'static str) -> Self {
        Self::new(name, label, Control::File { accept, is_multiple: false })
    }

    /// Creates a choice of one or more files.
    pub fn files(name: &'static str, label: impl Into<String>, accept: &'static str) -> Self {
        Self::new(name, label, Control::File { accept, is_multiple: true })
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds `scope` to the element ids, for pages whose forms have fields of the same name.
    pub fn within(mut self, scope: &'static str) -> Self {
        self.scope = Some(scope);
        self
    }

    pub fn default(mut self, value: impl Into<String>) -> Self {
        self.default = value.into();
        self
    }

    pub fn autocomplete(mut self, purpose: &'static str) -> Self {
        self.autocomplete = Some(purpose);
        self
    }

    pub fn placeholder(mut self, example: impl Into<String>) -> Self {
        self.placeholder = Some(example.into());
        self
    }

    pub fn optional(mut self) -> Self {
        self.required = false;
        self.optional = true;
        self
    }

    /// Marks a field that is needed only with some choices of another one; its hint says which.
    pub const fn conditional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Sets a monospace font without spell checking or capitalisation: for addresses, names and keys.
    pub fn mono(mut self) -> Self {
        self.mono = true;
        self
    }

    /// Sets values that the browser offers. Others can be typed too.
    pub fn options(mut self, values: Vec<String>) -> Self {
        self.options = values;
        self
    }

    /// Sets the maximum length in characters.
    pub fn max(mut self, characters: u32) -> Self {
        self.max = Some(characters);
        self
    }

    /// Renders the field with its value and error from `form`.
    pub fn of(self, form: &Form) -> AnyView {
        let id = field_id(self.scope, self.name);
        let error = form.error(self.name).map(str::to_owned);
        let hint_id = self.hint.is_some().then(|| format!("{id}-hint"));
        let error_id = error.is_some().then(|| format!("{id}-error"));
        let described: Vec<_> = hint_id.iter().chain(&error_id).cloned().collect();
        let described = (!described.is_empty()).then(|| described.join(" "));
        let optional = self.optional.then(|| format!(" {}", text!("field-optional")));
        let (label, hint, for_id) = (self.label.clone(), self.hint.clone(), id.clone());
        let invalid = error.is_some();
        view! {
            <div class="field" class:invalid=invalid>
                <label for=for_id>{label}<span class="quiet">{optional}</span></label>
                {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
                {self.control(id, described, form)}
                {error.map(|error| view! { <p class="error" id=error_id>{Icon::Alert.view()} {translated(error)}</p> })}
            </div>
        }
        .into_any()
    }

    fn control(self, id: String, described: Option<String>, form: &Form) -> AnyView {
        let value = form.value_or(self.name, &self.default).to_owned();
        let invalid = form.error(self.name).map(|_| "true");
        let class = if self.mono { "control mono" } else { "control" };
        match self.control {
            Control::Input("password") => {
                let label = self.label.clone();
                view! {
                    <div class="password">
                        <input class=class id=id dir="auto" name=self.name type="password" required=self.required
                            autocomplete=self.autocomplete placeholder=self.placeholder maxlength=self.max
                            spellcheck="false" autocapitalize="none" aria-describedby=described aria-invalid=invalid />
                        // Shown by the script without which it does nothing.
                        <button type="button" data-reveal="" hidden=true>
                            <span>{text!("show-password")}</span><span class="hidden">{format!(" {label}")}</span>
                        </button>
                    </div>
                }
                .into_any()
            }
            Control::Input(kind) => {
                let list = (!self.options.is_empty()).then(|| format!("{id}-options"));
                let options = list.clone().map(|id| {
                    let options =
                        self.options.into_iter().map(|value| view! { <option value=value></option> });
                    view! { <datalist id=id>{options.collect_view()}</datalist> }
                });
                view! {
                    <input class=class id=id dir="auto" name=self.name type=kind value=value required=self.required
                        autocomplete=self.autocomplete placeholder=self.placeholder maxlength=self.max list=list
                        spellcheck=self.mono.then_some("false") autocapitalize=self.mono.then_some("none")
                        aria-describedby=described aria-invalid=invalid />
                    {options}
                }
                .into_any()
            }
            Control::Lines(rows) => view! {
                <textarea class=class id=id dir="auto" name=self.name rows=rows required=self.required
                    placeholder=self.placeholder maxlength=self.max
                    aria-describedby=described aria-invalid=invalid>{in_textarea(&value)}</textarea>
            }
            .into_any(),
            Control::File { accept, is_multiple } => view! {
                <input class=class id=id name=self.name type="file" accept=accept multiple=is_multiple required=self.required
                    aria-describedby=described aria-invalid=invalid />
            }
            .into_any(),
            Control::Choice(options) => {
                let options = options
                    .into_iter()
                    .map(|(option, label)| {
                        let selected = option == value;
                        view! { <option value=option selected=selected>{label}</option> }
                    })
                    .collect_view();
                view! {
                    <select class=class id=id name=self.name aria-describedby=described aria-invalid=invalid>
                        {options}
                    </select>
                }
                .into_any()
            }
        }
    }
}

/// Returns the element id of a field's control. The label and the error summary link to it.
pub fn field_id(scope: Option<&str>, name: &str) -> String {
    scope.map_or_else(|| format!("f-{name}"), |scope| format!("f-{scope}-{name}"))
}

/// Group of radio buttons, each with an optional explanation.
pub struct Radios<L = &'static str> {
    pub name: &'static str,
    pub legend: L,
    /// Value that is selected if the form was not submitted yet.
    pub default: String,
    pub options: Vec<RadioOption>,
}

pub struct RadioOption {
    pub value: String,
    pub label: String,
    pub meaning: Option<String>,
    pub disabled: bool,
}

impl RadioOption {
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), meaning: None, disabled: false }
    }

    pub fn meaning(mut self, meaning: impl Into<String>) -> Self {
        self.meaning = Some(meaning.into());
        self
    }

    pub fn disabled(mut self, disabled: bool) -> Self {
        self.disabled = disabled;
        self
    }
}

impl<L: Into<String>> Radios<L> {
    pub fn of(self, form: &Form) -> AnyView {
        let chosen = form.value_or(self.name, &self.default).to_owned();
        let error = form.error(self.name).map(str::to_owned);
        let name = self.name;
        let options = self
            .options
            .into_iter()
            .map(|option| {
                let checked = option.value == chosen;
                view! {
                    <label class="option">
                        <input type="radio" name=name value=option.value checked=checked disabled=option.disabled />
                        <span><span class="name">{option.label}</span>
                        {option.meaning.map(|meaning| view! { <span class="hint">{meaning}</span> })}</span>
                    </label>
                }
            })
            .collect_view();
        view! {
            <fieldset class="field options" id=field_id(None, name)>
                <legend>{self.legend.into()}</legend>
                {options}
                {error.map(|error| view! { <p class="error">{Icon::Alert.view()} {translated(error)}</p> })}
            </fieldset>
        }
        .into_any()
    }
}
