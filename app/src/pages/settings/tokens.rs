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
    pages::{Page, PageMeta},
    view_models::{
        Form, Tone,
        oauth::GrantRow,
        settings::{ScopeOption, TokenRow, TokensPage},
    },
};

impl Page for TokensPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Tokens")
    }

    fn body(self) -> AnyView {
        let content = view! {
            <h1>"Tokens"</h1>
            <p class="quiet">"Programs use a token to act on your behalf, limited to its scopes."</p>
            {self.created.map(created)}
            {list(self.tokens)}
            {programs(self.grants)}
            <Section title="New token">
                {form_errors(&self.form, None)}
                <form class="stack narrow" method="post" action="/settings/tokens">
                    {Field::text("name", "Name").max(60).placeholder("Nightly report").of(&self.form)}
                    {scopes(self.scopes, &self.form)}
                    {lifetime(&self.form)}
                    <p class="actions"><Button label="Create token" kind=Kind::Primary /></p>
                </form>
            </Section>
        };
        with_side("/settings/tokens", content.into_any())
    }
}

fn created(secret: String) -> AnyView {
    view! {
        <Note tone=Tone::Good>
            <p><strong>"Copy the token now."</strong> " The hub stores only a hash. The token cannot be shown again."</p>
            <p><Copyable text=secret about="token" /></p>
        </Note>
    }
    .into_any()
}

fn list(tokens: Vec<TokenRow>) -> AnyView {
    if tokens.is_empty() {
        return view! { <Empty title="No tokens"><p>"You have not created any tokens yet."</p></Empty> }
            .into_any();
    }
    let rows = tokens.into_iter().map(row).collect();
    view! { <Table caption="Tokens, newest first" heads=vec!["Name", "Scopes", "Last used", "Expires", ""] rows /> }.into_any()
}

fn row(token: TokenRow) -> AnyView {
    let used = token.used.map_or_else(|| "Never".into_any(), |at| view! { <Ago at /> }.into_any());
    let expires = token.expires.map_or_else(|| "Never".into_any(), |at| view! { <Ago at /> }.into_any());
    let about = token.name.clone();
    view! {
        <tr>
            <th scope="row">{token.name}</th>
            <td>{token.scopes.join(", ")}</td>
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
    let heads = vec!["Name", "Scopes", "Resource", "Last used", ""];
    let table = view! { <Table caption="Authorized applications, newest first" heads rows /> };
    Some(view! { <Section title="Authorized applications">{table}</Section> }.into_any())
}

fn program(grant: GrantRow) -> AnyView {
    let used = grant.used.map_or_else(|| "Never".into_any(), |at| view! { <Ago at /> }.into_any());
    let about = grant.client.clone();
    view! {
        <tr>
            <th scope="row">{grant.client} <span class="hint">{grant.host}</span></th>
            <td>{grant.scopes.join(", ")}</td>
            <td class="text"><code class="name">{grant.resource}</code></td>
            <td>{used}</td>
            <td class="end">{revoke("/settings/tokens/end", grant.id.to_string(), about)}</td>
        </tr>
    }
    .into_any()
}

/// Renders the button with its question: a program with this access stops working at once.
fn revoke(action: &'static str, id: String, name: String) -> AnyView {
    let (dialog, title) = (format!("revoke-{id}"), format!("Revoke {name}?"));
    view! {
        <Dialog id=dialog open="Revoke" title about=name.clone()>
            <p>"Programs that use it lose access at once. This cannot be undone."</p>
            <ActionForm action label="Revoke permanently" kind=Kind::Danger about=name fields=vec![("id", id)] />
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
            <legend>"Scopes"</legend>
            {boxes}
            {error.map(|error| view! { <p class="error">{Icon::Alert.view()} {error}</p> })}
        </fieldset>
    }
    .into_any()
}

fn lifetime(form: &Form) -> AnyView {
    let options = [("30", "30 days"), ("90", "90 days"), ("365", "1 year")];
    let options = options.map(|(value, label)| (value.to_owned(), label.to_owned())).into();
    Field::choice("days", "Expires after", options).default("90").of(form)
}
