//! A chat message as an `<article>`.
//!
//! The HTML is rendered once for each language and sent to all subscribers of the chat that read it. It must not depend on
//! the viewer, except for what pages set: the rating, and the classes of own messages and own runs in a room.

use leptos::prelude::*;
use plexus_domain::{Address, MessageId, feedback::Rating, message::MessageState};

use super::{
    badge::ImportedTag,
    button::{ActionForm, ButtonLink, Kind},
    code_block::CopyButton,
    context,
    format::{address_text, agent_href, cost, count_tokens, duration, with_mending_link},
    icon::Icon,
    identicon::{Initials, Mark},
    menu::Menu,
    message_parts::part,
    time::Clock,
};
use crate::{
    locales, text,
    view_models::{
        Locale,
        message::{Article, Author},
    },
};

/// Renders a message. `columns` is the number of answers side by side, if it is one of several. The island of the chat
/// page sets its class too.
#[component]
pub fn MessageArticle(article: Article, #[prop(default = 1)] columns: usize) -> impl IntoView {
    let open = article.state == MessageState::Open;
    let asks = if article.is_question { " asks" } else { "" };
    let own = if article.is_own { " own" } else { "" };
    let own_run = if article.is_own_run { " own-run" } else { "" };
    let columns = if columns > 1 { format!(" columns-{columns}") } else { String::new() };
    let class =
        format!("message {} {}{asks}{own}{own_run}{columns}", author_class(&article.author), article.state);
    let run_by = article.run_caller.filter(|_| open).map(|caller| caller.to_string());
    let (by, by_id) = match &article.author {
        Author::Person { id, name } => (Some(name.clone()), Some(id.to_string())),
        Author::Agent { .. } | Author::Imported { .. } | Author::Gone => (None, None),
    };
    let (id, author_id) = (format!("m-{}", article.id), format!("a-{}", article.id));
    let labelled = author_id.clone();
    let parent = article.parent.map(|parent| parent.to_string()).unwrap_or_default();
    // Before the body: without JavaScript the body is still streaming when the reader presses Stop.
    let stop = if open { stop(&article) } else { None };
    let parts = article.parts.iter().enumerate().map(|(index, it)| part(index, it, &article)).collect_view();
    view! {
        <article class=class id=id data-parent=parent data-branch=article.branch data-author=by data-author-id=by_id data-run-by=run_by
            aria-labelledby=labelled
            aria-busy=open.then_some("true")>
            <div class="gutter">{picture(&article.author)}</div>
            <header>
                <h2 id=author_id dir="auto">{author(&article.author)}</h2>
                <Clock at=article.at />
                {stop}
                {person_actions(&article)}
            </header>
            <div class="body">{parts}</div>
            {article.status.clone().filter(|_| open).map(status)}
            {outcome(&article)}
            {hand_over(&article)}
            {foot(&article)}
        </article>
    }
}

const fn author_class(author: &Author) -> &'static str {
    match author {
        Author::Agent { .. } | Author::Imported { .. } => "agent",
        Author::Person { .. } | Author::Gone => "person",
    }
}

fn picture(author: &Author) -> AnyView {
    match author {
        Author::Agent { seed, .. } => view! { <Mark seed=seed.clone() /> }.into_any(),
        Author::Person { name, .. } | Author::Imported { label: name } => {
            view! { <Initials name=name.clone() /> }.into_any()
        }
        Author::Gone => view! { <Initials name="?" /> }.into_any(),
    }
}

/// Returns the name of an author as it is shown.
pub fn author_name(author: &Author) -> String {
    author.name().map_or_else(|| text!("deleted-account"), str::to_owned)
}

fn author(author: &Author) -> AnyView {
    let name = author_name(author);
    match author {
        Author::Agent { address, .. } => {
            let (href, address) = (agent_href(address), address_text(address));
            view! { <a href=href>{name}</a> " " <span class="address">{address}</span> }.into_any()
        }
        Author::Imported { .. } => view! { {name} " " <ImportedTag /> }.into_any(),
        Author::Person { .. } | Author::Gone => name.into_any(),
    }
}

/// Renders how the message ended; `None` while it is open, or if it ended normally.
fn outcome(article: &Article) -> Option<AnyView> {
    let view = match article.state {
        MessageState::Failed => {
            let words = article.failure.as_deref().map_or_else(|| text!("answer-ended").into_any(), failure);
            view! { <p class="state bad">{Icon::Failed.view()} <span>{words}</span></p> }
                .into_any()
        }
        MessageState::Stopped => {
            view! { <p class="state">{Icon::Stop.view()} <span>{text!("answer-stopped")}</span></p> }
                .into_any()
        }
        MessageState::Deleted => view! { <p class="state">{text!("message-deleted")}</p> }.into_any(),
        MessageState::Done if article.is_question => {
            view! { <p class="state caution question">{Icon::Info.view()} <span>{text!("waiting-for-reply")}</span></p> }
                .into_any()
        }
        MessageState::Open | MessageState::Done => return None,
    };
    Some(view)
}

/// Renders the activity of the agent: a text of the hub in the language of the page, or else what the agent wrote.
fn status(line: String) -> AnyView {
    let line = locales::translated_text(line);
    view! { <p class="doing" dir="auto">{line}</p> }.into_any()
}

/// Renders why an answer failed. What is not translated is marked as English.
fn failure(english: &str) -> AnyView {
    match context::locale() {
        Locale::En => with_mending_link(english),
        locale => match locales::translate(locale, english) {
            Some(text) => with_mending_link(&text),
            None => view! { <span lang="en" dir="ltr">{with_mending_link(english)}</span> }.into_any(),
        },
    }
}

/// Renders a button for each agent that the answer mentions. It sends the question of the answer to that agent.
fn hand_over(article: &Article) -> Option<AnyView> {
    let button = |address: &Address| {
        let (action, address) = (format!("/chat/{}/hand-over", article.chat), address.to_string());
        let fields = vec![("message", article.id.to_string()), ("to", address.clone())];
        view! { <ActionForm action label=text!("room-hand-over", agent = address) icon=Icon::Go fields /> }
    };
    let buttons = article.mentioned.iter().map(button).collect_view();
    (!article.mentioned.is_empty()).then(|| view! { <div class="hand-over">{buttons}</div> }.into_any())
}

/// Renders the footer: copy and retry buttons, alternative answers, tokens, cost and duration.
fn foot(article: &Article) -> Option<AnyView> {
    let picker = picker(article);
    if matches!(article.author, Author::Person { .. } | Author::Gone) {
        return picker.map(|picker| view! { <footer>{picker}</footer> }.into_any());
    }
    let is_complete = !matches!(article.state, MessageState::Open | MessageState::Deleted);
    let actions = is_complete.then(|| after(article));
    Some(view! { <footer>{actions}{picker}{measures(article)}</footer> }.into_any())
}

fn stop(article: &Article) -> Option<AnyView> {
    let (action, run) = (format!("/chat/{}/stop", article.chat), article.run?.to_string());
    let about = text!("answer-of", name = author_name(&article.author));
    let fields = vec![("run", run)];
    Some(view! { <ActionForm action label=text!("answer-stop") about icon=Icon::Stop fields /> }.into_any())
}

fn after(article: &Article) -> AnyView {
    let action = format!("/chat/{}/retry", article.chat);
    let fields = vec![("message", article.id.to_string())];
    let about = text!("answer-of", name = author_name(&article.author));
    let urgent = article.state == MessageState::Failed;
    let kind = if urgent { Kind::Plain } else { Kind::Quiet };
    let (chosen, choice) = (format!("/chat/{}/continue", article.chat), text!("continue-with-answer"));
    let chosen_fields = fields.clone();
    view! {
        // The style sheet shows it for answers side by side.
        <div class="choose-answer"><ActionForm action=chosen label=choice about=about.clone() icon=Icon::Check fields=chosen_fields /></div>
        <CopyButton about=about.clone() />
        {is_from_agent(article).then(|| view! { <ActionForm action label=text!("answer-retry") about kind icon=Icon::Retry fields /> })}
        {is_from_agent(article).then(|| ratings(article))}
        {more(article)}
    }
    .into_any()
}

/// Renders the buttons that rate an answer. Pressed again, a button takes the rating back.
///
/// `site.js` sends them without a page, and keeps their state.
fn ratings(article: &Article) -> AnyView {
    let name = author_name(&article.author);
    let button = |rating: Rating, label: String, icon: Icon| {
        let is_given = article.rating == Some(rating);
        let value = if is_given { "none" } else { rating.as_str() };
        let (action, message) = (format!("/chat/{}/feedback", article.chat), article.id.to_string());
        view! {
            <form class="inline rating" method="post" action=action data-rating=rating.as_str()>
                <input type="hidden" name="message" value=message />
                <input type="hidden" name="rating" value=value />
                <button class="button quiet" aria-pressed=if is_given { "true" } else { "false" }>
                    {icon.view()}<span class="hidden">{label}</span>
                </button>
            </form>
        }
    };
    let more = format!("/chat/{}/feedback?message={}", article.chat, article.id);
    view! {
        {button(Rating::Up, text!("rate-good", name = name.clone()), Icon::ThumbUp)}
        {button(Rating::Down, text!("rate-bad", name = name.clone()), Icon::ThumbDown)}
        <a class="button quiet reason" href=more>{text!("add-reason")}<span class="hidden">" "{text!("add-reason-for", name = name)}</span></a>
    }
    .into_any()
}

fn is_from_agent(article: &Article) -> bool {
    matches!(article.author, Author::Agent { .. })
}

/// Renders the actions of a user's message. They are in its header, so that they take no line of their own.
fn person_actions(article: &Article) -> Option<AnyView> {
    let is_own = matches!(article.author, Author::Person { .. }) && article.state == MessageState::Done;
    is_own.then(|| {
        let message = article.id.to_string();
        let href = format!("/chat/{}?edit={message}", article.chat);
        view! {
            <a class=Kind::Quiet.class() href=href data-edit=message>{Icon::Edit.view()} {text!("message-edit")} <span class="hidden">" "{text!("message-edit-about")}</span></a>
            {more(article)}
        }
        .into_any()
    })
}

/// Renders the actions that are needed less often.
fn more(article: &Article) -> AnyView {
    let (chat, message) = (article.chat, article.id.to_string());
    let name = author_name(&article.author);
    let about = text!("message-of", name = name.clone());
    let summary = view! { <span class=Kind::Quiet.class()>{Icon::More.view()}</span> }.into_any();
    let is_answer = article.author.is_assistant();
    let compare = text!("compare-with-action");
    let another = is_answer.then(|| {
        let comparison = format!("/chat/{chat}/compare?message={message}");
        let href = format!("/chat/{chat}/retry?message={message}");
        let (fork, fields) = (format!("/chat/{chat}/fork"), vec![("message", message.clone())]);
        view! {
            <ButtonLink label=text!("ask-another-agent") href kind=Kind::Quiet icon=Icon::Retry />
            <ButtonLink label=compare href=comparison kind=Kind::Quiet icon=Icon::Add />
            <ActionForm action=fork label=text!("fork-chat") about=text!("fork-from-here") kind=Kind::Quiet icon=Icon::Fork fields />
        }
    });
    let delete = format!("/chat/{chat}/delete-message?message={message}");
    view! {
        <Menu summary label=text!("more-for-message", name = name)>
            {another}
            <ButtonLink label=text!("delete") href=delete about kind=Kind::Quiet icon=Icon::Delete />
        </Menu>
    }
    .into_any()
}

/// Renders links to the previous and next alternative; `None` if there is only one.
///
/// Alternatives of an agent's message are answers. Those of a user's message are branches of the chat.
fn picker(article: &Article) -> Option<AnyView> {
    let is_answer = article.author.is_assistant();
    let all = &article.alternatives;
    let at = all.iter().position(|&id| id == article.id).filter(|_| all.len() > 1)?;
    let (number, count) = (at + 1, all.len());
    let (previous, next, label, place) = if is_answer {
        let place = text!("picker-answer", number = number, count = count);
        (text!("picker-answer-previous"), text!("picker-answer-next"), text!("picker-answers"), place)
    } else {
        let place = text!("picker-branch", number = number, count = count);
        (text!("picker-branch-previous"), text!("picker-branch-next"), text!("picker-branches"), place)
    };
    let link = |to: Option<&MessageId>, label: String, icon: Icon| match to {
        Some(id) => {
            let href = format!("/chat/{}?m={id}", article.chat);
            view! { <a href=href aria-label=label>{icon.view()}</a> }.into_any()
        }
        None => view! { <span aria-hidden="true">{icon.view()}</span> }.into_any(),
    };
    let before = link(at.checked_sub(1).and_then(|at| all.get(at)), previous, Icon::Back);
    let after = link(all.get(at + 1), next, Icon::Forward);
    Some(view! { <nav class="picker" aria-label=label>{before}<span>{place}</span>{after}</nav> }.into_any())
}

fn measures(article: &Article) -> Option<AnyView> {
    let tokens = article.usage.map(|usage| usage.tokens_out).filter(|&tokens| tokens > 0);
    let words: Vec<String> = tokens
        .map(count_tokens)
        .into_iter()
        .chain(article.usage.map(|usage| usage.cost_micro).filter(|&cost| cost > 0).map(cost))
        .chain(article.took_ms.map(duration))
        .collect();
    (!words.is_empty())
        .then(|| view! { <span class="measures">{words.join(&text!("list-separator"))}</span> }.into_any())
}
