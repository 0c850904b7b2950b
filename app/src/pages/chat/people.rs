//! People of a chat, and the forms with which its owner invites them.

use leptos::prelude::*;
use plexus_domain::chat::{DailyLimit, DailyLimitUnit, RoomRole};

use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        code_block::Copyable,
        dialog::Dialog,
        field::{Field, field_id},
        form_errors::form_errors,
        format::agent_href,
        notice::Note,
        section::Section,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Form, Tone,
        chat_people::{ChatAgentRow, ChatPeoplePage, ChatPersonRow, SentInvitationRow},
    },
};

/// Lifetimes of an invitation in days.
const LIFETIMES: [u32; 3] = [1, 7, 30];

impl Page for ChatPeoplePage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("chat-people"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}", self.chat);
        let action = format!("{back}/people");
        let (is_owner, chat_href) = (self.role == RoomRole::Owner, back.clone());
        let created = self.created.map(created);
        let rows = self.people.into_iter().enumerate();
        let rows = rows.map(|(at, row)| person(at, row, &self.viewer, is_owner, &action)).collect();
        let leave = (!is_owner).then(|| leave(&action));
        let agents = agents(self.agents, &self.form, is_owner, &action);
        let invite = is_owner.then(|| invitations(self.invitations, &self.form, &action));
        view! {
            <div class="stack people-page">
            <h1>{text!("chat-people")}</h1>
            <p>{rich!("people-lead", title = self.title; chat = |title| view! { <a href=chat_href dir="auto">{title}</a> })}</p>
            {created}
            {form_errors(&self.form, None)}
            <Table caption=text!("people-caption") heads=vec![text!("people-name"), text!("people-role"), text!("people-joined"), String::new()] rows />
            {leave}
            {agents}
            {invite}
            <p class="actions"><ButtonLink label=text!("back-to-chat") href=back kind=Kind::Quiet /></p>
            </div>
        }
        .into_any()
    }
}

fn created(link: String) -> AnyView {
    view! {
        <Note tone=Tone::Good>
            <p>{rich!("people-link"; strong = |inner| view! { <strong>{inner}</strong> })}</p>
            <p><Copyable text=link about=text!("people-link-about") /></p>
        </Note>
    }
    .into_any()
}

/// Returns the label of a role.
pub fn role_label(role: RoomRole) -> String {
    match role {
        RoomRole::Owner => text!("role-owner"),
        RoomRole::Member => text!("role-member"),
        RoomRole::Reader => text!("role-reader"),
    }
}

fn person(at: usize, row: ChatPersonRow, viewer: &str, is_owner: bool, action: &str) -> AnyView {
    let name = row.name.clone();
    let is_viewer = row.name == viewer;
    let role =
        if is_owner && !is_viewer { role_form(at, &row, action) } else { role_label(row.role).into_any() };
    let remove = (is_owner && !is_viewer).then(|| {
        let fields = vec![("action", "remove".to_owned()), ("user", name.clone())];
        let (title, action) = (text!("people-remove-ask", name = name.clone()), action.to_owned());
        view! {
            <Dialog id=format!("remove-{at}") open=text!("people-remove") title about=name.clone()>
                <p>{text!("people-remove-lead")}</p>
                <ActionForm action label=text!("people-remove-do") kind=Kind::Danger fields about=name.clone() />
            </Dialog>
        }
    });
    let you = is_viewer.then(|| format!(" {}", text!("people-you")));
    view! {
        <tr><th scope="row"><bdi>{row.name}</bdi>{you}</th><td>{role}</td><td><Ago at=row.joined /></td><td class="end">{remove}</td></tr>
    }
    .into_any()
}

fn role_form(at: usize, row: &ChatPersonRow, action: &str) -> AnyView {
    let id = format!("role-{at}");
    let options = [RoomRole::Member, RoomRole::Reader, RoomRole::Owner].map(|role| {
        let label = match role {
            RoomRole::Owner => text!("role-hand-over"),
            RoomRole::Member | RoomRole::Reader => role_label(role),
        };
        view! { <option value=role.as_str() selected=role == row.role>{label}</option> }
    });
    view! {
        <form class="inline role" method="post" action=action.to_owned()>
            <input type="hidden" name="action" value="role" />
            <input type="hidden" name="user" value=row.name.clone() />
            <label class="hidden" for=id.clone()>{text!("role-of", name = row.name.clone())}</label>
            <select class="control" id=id name="role">{options.into_iter().collect_view()}</select>
            <Button label=text!("role-change") about=row.name.clone() />
        </form>
    }
    .into_any()
}

fn leave(action: &str) -> AnyView {
    let (action, fields) = (action.to_owned(), vec![("action", "leave".to_owned())]);
    view! {
        <div><Dialog id="leave" open=text!("leave-chat") title=text!("leave-chat-ask")>
            <p>{text!("leave-chat-lead")}</p>
            <ActionForm action label=text!("leave") kind=Kind::Danger fields />
        </Dialog></div>
    }
    .into_any()
}

fn invitations(rows: Vec<SentInvitationRow>, form: &Form, action: &str) -> AnyView {
    let list = (!rows.is_empty()).then(|| {
        let rows = rows.into_iter().map(|row| invitation(row, action)).collect();
        view! {
            <Section title=text!("invitations-open")>
                <Table caption=text!("invitations-caption") heads=vec![text!("invitations-for"), text!("people-role"), text!("expires"), String::new()] rows />
            </Section>
        }
    });
    let user = Field::text("user", text!("invite-user-name"))
        .hint(text!("invite-user-hint"))
        .max(80)
        .mono()
        .of(form);
    let (invite_choices, link_choices) = (choices("invite", form), choices("link", form));
    let (invite_action, link_action) = (action.to_owned(), action.to_owned());
    view! {
        <Section title=text!("invite-user")>
            <form class="stack narrow" method="post" action=invite_action>
                <input type="hidden" name="action" value="invite" />
                {user}
                {invite_choices}
                <p class="actions"><Button label=text!("invite-user-do") kind=Kind::Primary /></p>
            </form>
        </Section>
        <Section title=text!("invite-link") lead=text!("invite-link-lead")>
            <form class="stack narrow" method="post" action=link_action>
                <input type="hidden" name="action" value="link" />
                {link_choices}
                <p class="actions"><Button label=text!("create-link") /></p>
            </form>
        </Section>
        {list}
    }
    .into_any()
}

fn choices(scope: &'static str, form: &Form) -> AnyView {
    let roles = [("member", text!("invite-as-member")), ("reader", text!("invite-as-reader"))];
    let roles = roles.map(|(value, label)| (value.to_owned(), label)).to_vec();
    let days = LIFETIMES.map(|days| (days.to_string(), text!("expires-in-days", count = days))).to_vec();
    view! {
        {Field::choice("role", text!("people-role"), roles).within(scope).default("member").of(form)}
        {Field::choice("days", text!("expires"), days).within(scope).default("7").of(form)}
    }
    .into_any()
}

fn invitation(row: SentInvitationRow, action: &str) -> AnyView {
    let about = match &row.user {
        Some(name) => text!("invitation-of", name = name.as_str()),
        None => text!("invitation-of-link"),
    };
    let fields = vec![("action", "revoke".to_owned()), ("invitation", row.id.to_string())];
    let who = row.user.unwrap_or_else(|| text!("invitation-holders"));
    let action = action.to_owned();
    view! {
        <tr>
            <th scope="row"><bdi>{who}</bdi></th>
            <td>{role_label(row.role)}</td>
            <td><Ago at=row.expires /></td>
            <td class="end"><ActionForm action label=text!("revoke") about fields /></td>
        </tr>
    }
    .into_any()
}

/// Renders the agents of the chat with their limits; nothing for a chat without agents.
fn agents(rows: Vec<ChatAgentRow>, form: &Form, is_owner: bool, action: &str) -> Option<AnyView> {
    if rows.is_empty() {
        return None;
    }
    let rows = rows.into_iter().enumerate();
    let rows = rows.map(|(at, row)| agent(at, row, form, is_owner, action)).collect();
    let heads = vec![text!("room-agent"), text!("room-agent-limit"), text!("room-agent-today")];
    let view = view! {
        <Section title=text!("room-agents") lead=text!("room-agents-lead")>
            <Table caption=text!("room-agents") heads rows />
        </Section>
    };
    Some(view.into_any())
}

fn agent(at: usize, row: ChatAgentRow, form: &Form, is_owner: bool, action: &str) -> AnyView {
    let (answers, tokens) =
        (text!("room-answers", count = row.answers), text!("room-tokens", count = row.tokens));
    let used = if row.tokens > 0 { text!("room-used", answers = answers, tokens = tokens) } else { answers };
    let limit = match row.limit {
        _ if is_owner => limit_form(at, &row, form, action),
        None => text!("room-no-limit").into_any(),
        Some(limit) => limit_text(limit).into_any(),
    };
    let (href, address) = (agent_href(&row.address), row.address.to_string());
    view! {
        <tr>
            <th scope="row"><a href=href dir="auto">{row.name}</a>" "<bdi class="address quiet">{address}</bdi></th>
            <td>{limit}</td>
            <td class="text">{used}</td>
        </tr>
    }
    .into_any()
}

/// Returns a limit as text, such as “20 answers”.
pub fn limit_text(limit: DailyLimit) -> String {
    match limit.unit() {
        DailyLimitUnit::Answers => text!("room-answers", count = limit.amount()),
        DailyLimitUnit::Tokens => text!("room-tokens", count = limit.amount()),
    }
}

/// Renders the form with the limit of an agent. After an error it has what was entered.
fn limit_form(at: usize, row: &ChatAgentRow, form: &Form, action: &str) -> AnyView {
    let address = row.address.to_string();
    let is_refused = form.value("agent") == address && form.error("amount").is_some();
    let stored = row.limit.map(|limit| limit.amount().to_string()).unwrap_or_default();
    let amount = if is_refused { form.value("amount").to_owned() } else { stored };
    let unit = row.limit.map_or(DailyLimitUnit::Answers, DailyLimit::unit);
    let unit = if is_refused { DailyLimitUnit::parse(form.value("unit")).unwrap_or(unit) } else { unit };
    // The summary of errors links to the field of its row.
    let id = if is_refused { field_id(None, "amount") } else { format!("limit-{at}") };
    let unit_id = format!("unit-{at}");
    let options = [
        (DailyLimitUnit::Answers, text!("room-unit-answers")),
        (DailyLimitUnit::Tokens, text!("room-unit-tokens")),
    ];
    let options = options
        .map(|(value, label)| view! { <option value=value.as_str() selected=value == unit>{label}</option> });
    view! {
        <form class="inline role" method="post" action=action.to_owned()>
            <input type="hidden" name="action" value="limit" />
            <input type="hidden" name="agent" value=address.clone() />
            <label class="hidden" for=id.clone()>{text!("room-limit-of", agent = address.clone())}</label>
            <input class="control amount" id=id name="amount" type="number" min="1" max=DailyLimit::MAX.to_string()
                value=amount placeholder=text!("room-no-limit") aria-invalid=is_refused.then_some("true") />
            <label class="hidden" for=unit_id.clone()>{text!("room-unit-of", agent = address.clone())}</label>
            <select class="control" id=unit_id name="unit">{options.into_iter().collect_view()}</select>
            <Button label=text!("room-set-limit") about=address />
        </form>
    }
    .into_any()
}
