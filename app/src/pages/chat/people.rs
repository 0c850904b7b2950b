//! People of a chat, and the forms with which its owner invites them.

use leptos::prelude::*;
use plexus_domain::chat::RoomRole;

use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        code_block::Copyable,
        dialog::Dialog,
        field::Field,
        form_errors::form_errors,
        notice::Note,
        section::Section,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    view_models::{
        Form, Tone,
        chat_people::{ChatPeoplePage, ChatPersonRow, SentInvitationRow},
    },
};

/// Lifetimes of an invitation: days as the form sends them, and the label.
const LIFETIMES: [(&str, &str); 3] = [("1", "In 1 day"), ("7", "In 7 days"), ("30", "In 30 days")];

impl Page for ChatPeoplePage {
    fn head(&self) -> PageMeta {
        PageMeta::private("People")
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}", self.chat);
        let action = format!("{back}/people");
        let is_owner = self.role == RoomRole::Owner;
        let created = self.created.map(created);
        let rows = self.people.into_iter().enumerate();
        let rows = rows.map(|(at, row)| person(at, row, &self.viewer, is_owner, &action)).collect();
        let leave = (!is_owner).then(|| leave(&action));
        let invite = is_owner.then(|| invitations(self.invitations, &self.form, &action));
        view! {
            <div class="stack">
            <h1>"People"</h1>
            <p>"All people of “"<a href=back.clone() dir="auto">{self.title}</a>"” read its whole history. Members also post messages; an answer is charged to the user whose message started it."</p>
            {created}
            {form_errors(&self.form, None)}
            <Table caption="People of the chat" heads=vec!["Name", "Role", "Joined", ""] rows />
            {leave}
            {invite}
            <p class="actions"><ButtonLink label="Back to chat" href=back kind=Kind::Quiet /></p>
            </div>
        }
        .into_any()
    }
}

fn created(link: String) -> AnyView {
    view! {
        <Note tone=Tone::Good>
            <p><strong>"Send this link."</strong>" Each signed-in user with the link can join until it expires or is revoked. The hub cannot show it again."</p>
            <p><Copyable text=link about="invite link" /></p>
        </Note>
    }
    .into_any()
}

/// Returns the label of a role.
pub const fn role_label(role: RoomRole) -> &'static str {
    match role {
        RoomRole::Owner => "Owner",
        RoomRole::Member => "Member",
        RoomRole::Reader => "Reader",
    }
}

fn person(at: usize, row: ChatPersonRow, viewer: &str, is_owner: bool, action: &str) -> AnyView {
    let name = row.name.clone();
    let is_viewer = row.name == viewer;
    let role =
        if is_owner && !is_viewer { role_form(at, &row, action) } else { role_label(row.role).into_any() };
    let remove = (is_owner && !is_viewer).then(|| {
        let fields = vec![("action", "remove".to_owned()), ("user", name.clone())];
        let (title, action) = (format!("Remove {name}?"), action.to_owned());
        view! {
            <Dialog id=format!("remove-{at}") open="Remove" title about=name.clone()>
                <p>"The user cannot read the chat any more. Messages of the user stay."</p>
                <ActionForm action label="Remove from chat" kind=Kind::Danger fields about=name.clone() />
            </Dialog>
        }
    });
    let you = is_viewer.then_some(" (you)");
    view! {
        <tr><th scope="row"><bdi>{row.name}</bdi>{you}</th><td>{role}</td><td><Ago at=row.joined /></td><td class="end">{remove}</td></tr>
    }
    .into_any()
}

fn role_form(at: usize, row: &ChatPersonRow, action: &str) -> AnyView {
    let id = format!("role-{at}");
    let options = [RoomRole::Member, RoomRole::Reader, RoomRole::Owner].map(|role| {
        let label = match role {
            RoomRole::Owner => "Owner (you become a member)",
            RoomRole::Member | RoomRole::Reader => role_label(role),
        };
        view! { <option value=role.as_str() selected=role == row.role>{label}</option> }
    });
    view! {
        <form class="inline role" method="post" action=action.to_owned()>
            <input type="hidden" name="action" value="role" />
            <input type="hidden" name="user" value=row.name.clone() />
            <label class="hidden" for=id.clone()>"Role of "{row.name.clone()}</label>
            <select class="control" id=id name="role">{options.into_iter().collect_view()}</select>
            <Button label="Change role" about=row.name.clone() />
        </form>
    }
    .into_any()
}

fn leave(action: &str) -> AnyView {
    let (action, fields) = (action.to_owned(), vec![("action", "leave".to_owned())]);
    view! {
        <div><Dialog id="leave" open="Leave chat" title="Leave this chat?">
            <p>"You cannot read the chat any more. Your messages stay."</p>
            <ActionForm action label="Leave" kind=Kind::Danger fields />
        </Dialog></div>
    }
    .into_any()
}

fn invitations(rows: Vec<SentInvitationRow>, form: &Form, action: &str) -> AnyView {
    let list = (!rows.is_empty()).then(|| {
        let rows = rows.into_iter().map(|row| invitation(row, action)).collect();
        view! {
            <Section title="Open invitations">
                <Table caption="Open invitations, newest first" heads=vec!["For", "Role", "Expires", ""] rows />
            </Section>
        }
    });
    let user = Field::text("user", "User")
        .hint("Name of a user of this hub. The user sees the invitation under Chats and accepts or declines it.")
        .max(80)
        .mono()
        .of(form);
    let (invite_choices, link_choices) = (choices("invite", form), choices("link", form));
    let (invite_action, link_action) = (action.to_owned(), action.to_owned());
    view! {
        <Section title="Invite a user">
            <form class="stack narrow" method="post" action=invite_action>
                <input type="hidden" name="action" value="invite" />
                {user}
                {invite_choices}
                <p class="actions"><Button label="Invite user" kind=Kind::Primary /></p>
            </form>
        </Section>
        <Section title="Invite by link" lead="Each signed-in user of this hub with the link can join.">
            <form class="stack narrow" method="post" action=link_action>
                <input type="hidden" name="action" value="link" />
                {link_choices}
                <p class="actions"><Button label="Create link" /></p>
            </form>
        </Section>
        {list}
    }
    .into_any()
}

fn choices(scope: &'static str, form: &Form) -> AnyView {
    let roles = [("member", "Member: reads and posts messages"), ("reader", "Reader: reads only")];
    let pairs = |all: &[(&str, &str)]| {
        all.iter().map(|(value, label)| ((*value).to_owned(), (*label).to_owned())).collect::<Vec<_>>()
    };
    view! {
        {Field::choice("role", "Role", pairs(&roles)).within(scope).default("member").of(form)}
        {Field::choice("days", "Expires", pairs(&LIFETIMES)).within(scope).default("7").of(form)}
    }
    .into_any()
}

fn invitation(row: SentInvitationRow, action: &str) -> AnyView {
    let about = row.user.as_ref().map_or_else(|| "link".to_owned(), |name| format!("invitation of {name}"));
    let fields = vec![("action", "revoke".to_owned()), ("invitation", row.id.to_string())];
    let who = row.user.unwrap_or_else(|| "Holders of a link".to_owned());
    let action = action.to_owned();
    view! {
        <tr>
            <th scope="row"><bdi>{who}</bdi></th>
            <td>{role_label(row.role)}</td>
            <td><Ago at=row.expires /></td>
            <td class="end"><ActionForm action label="Revoke" about fields /></td>
        </tr>
    }
    .into_any()
}
