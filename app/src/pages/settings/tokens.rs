use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        code_block::Copyable,
        dialog::Dialog,
        empty::Empty,
        field::{Field, field_id},
        form_errors::form_errors,
        icon::Icon,
        notice::Note,
        section::Section,
        table::Table,
        time::Ago,
    },
    locales::translated,
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Form, Tone,
        oauth::GrantRow,
        settings::{ScopeOption, TokenRow, TokensPage},
    },
};

impl Page for TokensPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("settings-tokens"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let content = view! {
            <h1>{text!("settings-tokens")}</h1>
            <p class="quiet">{text!("tokens-lead")}</p>
            {self.created.map(created)}
            {list(self.tokens)}
            {programs(self.grants)}
            <Section title=text!("tokens-new")>
                {form_errors(&self.form, None)}
                <form class="stack narrow" method="post" action="/settings/tokens">
                    {Field::text("name", text!("name")).max(60).placeholder(text!("tokens-example")).of(&self.form)}
                    {scopes(self.scopes, &self.form)}
                    {lifetime(&self.form)}
                    <p class="actions"><Button label=text!("tokens-create") kind=Kind::Primary /></p>
                </form>
            </Section>
        };
        with_side("/settings/tokens", content.into_any())
    }
}

fn created(secret: String) -> AnyView {
    let notice = rich!("tokens-copy-now"; strong = |inner| view! { <strong>{inner}</strong> });
    view! {
        <Note tone=Tone::Good>
            <p>{notice}</p>
            <p><Copyable text=secret about=text!("tokens-about") /></p>
        </Note>
    }
    .into_any()
}

fn list(tokens: Vec<TokenRow>) -> AnyView {
    if tokens.is_empty() {
        return view! { <Empty title=text!("tokens-none")><p>{text!("tokens-none-why")}</p></Empty> }
            .into_any();
    }
    let rows = tokens.into_iter().map(row).collect();
    view! { <Table caption=text!("tokens-caption") heads=vec![text!("name"), text!("scopes"), text!("last-used"), text!("token-expires"), String::new()] rows /> }.into_any()
}

fn row(token: TokenRow) -> AnyView {
    let used =
        token.used.map_or_else(|| text!("token-never").into_any(), |at| view! { <Ago at /> }.into_any());
    let expires =
        token.expires.map_or_else(|| text!("token-never").into_any(), |at| view! { <Ago at /> }.into_any());
    let about = token.name.clone();
    view! {
        <tr>
            <th scope="row">{token.name}</th>
            <td><span dir="ltr">{token.scopes.join(", ")}</span></td>
            <td>{used}</td>
            <td>{expires}</td>
            <td class="end">{revoke("/settings/tokens/revoke", token.id.to_string(), about)}</td>
        </tr>
    }
    .into_any()
}

/// Renders the authorized applications. Omitted if there are none, because they are not created on this page.
fn programs(grants: Vec<GrantRow>) -> Option<AnyView> {
    if grants.is_empty() {
        return None;
    }
    let rows = grants.into_iter().map(program).collect();
    let heads = vec![
        text!("name"),
        text!("scopes"),
        text!("applications-resource"),
        text!("last-used"),
        String::new(),
    ];
    let table = view! { <Table caption=text!("applications-caption") heads rows /> };
    Some(view! { <Section title=text!("applications")>{table}</Section> }.into_any())
}

fn program(grant: GrantRow) -> AnyView {
    let used =
        grant.used.map_or_else(|| text!("token-never").into_any(), |at| view! { <Ago at /> }.into_any());
    let about = grant.client.clone();
    view! {
        <tr>
            <th scope="row">{grant.client} <span class="hint">{grant.host}</span></th>
            <td><span dir="ltr">{grant.scopes.join(", ")}</span></td>
            <td class="text"><code class="name">{grant.resource}</code></td>
            <td>{used}</td>
            <td class="end">{revoke("/settings/tokens/end", grant.id.to_string(), about)}</td>
        </tr>
    }
    .into_any()
}

/// Renders the button with its question: a program with this access stops working at once.
fn revoke(action: &'static str, id: String, name: String) -> AnyView {
    let (dialog, title) = (format!("revoke-{id}"), text!("access-revoke-title", name = name.clone()));
    view! {
        <Dialog id=dialog open=text!("access-revoke") title about=name.clone()>
            <p>{text!("access-revoke-meaning")}</p>
            <ActionForm action label=text!("access-revoke-permanently") kind=Kind::Danger about=name fields=vec![("id", id)] />
        </Dialog>
    }
    .into_any()
}

fn scopes(scopes: Vec<ScopeOption>, form: &Form) -> AnyView {
    let error = form.error("scope").map(str::to_owned);
    let boxes = scopes
        .into_iter()
        .map(|option| {
            let checked = form.has("scope", &option.scope);
            view! {
                <label class="option">
                    <input type="checkbox" name="scope" value=option.scope.clone() checked=checked />
                    <span><code class="name">{option.scope}</code><span class="hint">{option.meaning}</span></span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="field options" id=field_id(None, "scope")>
            <legend>{text!("scopes")}</legend>
            {boxes}
            {error.map(|error| view! { <p class="error">{Icon::Alert.view()} {translated(error)}</p> })}
        </fieldset>
    }
    .into_any()
}

fn lifetime(form: &Form) -> AnyView {
    let options =
        [("30", text!("tokens-days-30")), ("90", text!("tokens-days-90")), ("365", text!("tokens-days-365"))];
    let options = options.map(|(value, label)| (value.to_owned(), label)).into();
    Field::choice("days", text!("tokens-lifetime"), options).default("90").of(form)
}
