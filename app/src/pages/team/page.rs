//! Page of one team: status bar, answer, members, assignments, utterances and owner actions.

use leptos::prelude::*;
use plexus_domain::money;

use super::{
    assignment_board::board,
    index::standing,
    replay_step::step,
    report::report,
    tree::{path, tree},
};
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        field::Field,
        form_errors::form_errors,
        format::duration,
        icon::Icon,
        identicon::Mark,
        notice::Note,
        section::Section,
        table::Table,
        time::Ago,
    },
    locales::{grouped, translated, translated_text},
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Form, Html, Tone,
        team::{Member, MemberActions, TeamPage, TeamStatusBar, UtteranceView},
    },
};

impl Page for TeamPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("team-title", title = self.title.clone()))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        // A replay step is read-only.
        let over = self.standing.is_over() || self.step.is_some();
        let action = format!("/teams/{}", self.id);
        let goal = (self.goal != self.title).then(|| goal(self.goal));
        let live = (!over).then(|| self.id.clone());
        let (assignments, members) =
            (board(self.assignments, &action, over), members(self.members, &action, over));
        let replays = self.step.is_some();
        let controls = (!over).then(|| controls(&action, self.may_skip, &self.form));
        view! {
            <div class="team" data-live=live>
                {path(self.ancestors)}
                <div class="team-head"><h1 dir="auto">{self.title}</h1>{standing(self.standing)}</div>
                {goal}
                {self.step.map(step)}
                {strip(self.strip, over, replays)}
                {(!over).then(|| view! { <noscript><p class="quiet">{reload()}</p></noscript> })}
                {form_errors(&self.form, None)}
                {self.failure.map(|why| view! { <Note tone=Tone::Caution><p>{translated(why)}</p></Note> })}
                {self.answer.map(answer)}
                {plan(self.plan)}
                {assignments}
                {tree(self.subteams)}
                <Section title=text!("team-members")>{members}</Section>
                {transcript(self.transcript, self.by_share_link)}
                {self.report.map(report)}
                {controls}
            </div>
        }
        .into_any()
    }
}

fn reload() -> AnyView {
    rich!("team-reload"; link = |inner| view! { <a href="">{inner}</a> })
}

fn goal(goal: String) -> AnyView {
    view! { <p class="team-goal" dir="auto">{goal}</p> }.into_any()
}

/// Renders the status bar. A replay step shows no deadline, because it is in the past.
fn strip(strip: TeamStatusBar, over: bool, replays: bool) -> AnyView {
    let speaker = strip
        .speaker
        .map(|name| view! { <div><dt>{text!("team-speaker")}</dt><dd><code>{name}</code></dd></div> });
    let time = match strip.ended {
        Some(at) => {
            Some(view! { <div><dt>{text!("team-ended")}</dt><dd><Ago at=at /></dd></div> }.into_any())
        }
        None if replays => None,
        None => Some(
            view! { <div><dt>{text!("team-deadline")}</dt><dd><Ago at=strip.deadline /></dd></div> }
                .into_any(),
        ),
    };
    // Most agents cost nothing, so a cost of 0 is omitted.
    let cost = (strip.cost > 0).then(|| {
        let cost = money::format_micros(strip.cost);
        let cost = match over {
            true => cost,
            false => text!("team-of", used = cost, limit = money::format_micros(strip.most_cost)),
        };
        view! { <div><dt>{text!("usage-cost")}</dt><dd>{cost}</dd></div> }
    });
    let tokens = match over {
        true => grouped(strip.tokens),
        false => {
            text!("team-of", used = strip.tokens, limit = strip.tokens.saturating_add(strip.tokens_left))
        }
    };
    view! {
        <dl class="team-strip" aria-label=text!("team-status")>
            <div><dt>{text!("team-now")}</dt><dd>{translated_text(strip.phase)}</dd></div>
            {speaker}
            <div><dt>{text!("team-turn")}</dt><dd>{text!("team-of", used = strip.turn, limit = strip.turns)}</dd></div>
            <div><dt>{text!("usage-tokens")}</dt><dd>{tokens}</dd></div>
            {cost}
            <div><dt>{text!("team-launched")}</dt><dd><Ago at=strip.launched /></dd></div>
            {time}
        </dl>
    }
    .into_any()
}

fn answer(answer: Html) -> AnyView {
    view! { <Section title=text!("team-answer")><div class="prose" inner_html=answer.into_string()></div></Section> }
        .into_any()
}

fn plan(steps: Vec<(String, bool)>) -> Option<AnyView> {
    if steps.is_empty() {
        return None;
    }
    let steps = steps
        .into_iter()
        .map(|(title, done)| {
            let words = if done { text!("plan-done") } else { text!("plan-to-do") };
            let icon = if done { Icon::Done } else { Icon::Forward };
            view! { <li>{icon.view()}<span class="hidden">{words}" "</span>{title}</li> }
        })
        .collect_view();
    Some(
        view! { <Section title=text!("team-plan")><ol class="team-plan" role="list">{steps}</ol></Section> }
            .into_any(),
    )
}

fn members(members: Vec<Member>, action: &str, over: bool) -> AnyView {
    if members.is_empty() {
        return view! { <p class="quiet">{text!("members-none")}</p> }.into_any();
    }
    let rows = members.into_iter().map(|member| row(member, action, over)).collect();
    // An ended team offers no actions, but the busy time is known.
    let last = if over { text!("member-busy") } else { String::new() };
    let heads = vec![
        text!("member"),
        text!("member-role"),
        text!("team-state"),
        text!("member-messages"),
        text!("usage-tokens"),
        text!("usage-cost"),
        last,
    ];
    view! { <Table caption=text!("team-members") heads=heads rows=rows /> }.into_any()
}

fn row(member: Member, action: &str, over: bool) -> AnyView {
    let speaker = member.is_speaker.then(
        || view! { " "<span class="badge neutral">{Icon::Answering.view()} {text!("team-speaker")}</span> },
    );
    let reason = member.reason.map(|reason| view! { <p class="quiet" dir="auto">{reason}</p> });
    let last = match over {
        true => member.worked.map_or_else(|| "–".to_owned(), duration).into_any(),
        false => buttons(member.seat, &member.name, member.may, member.is_speaker, action),
    };
    let name = match member.href {
        Some(href) => view! { <a href=href><code>{member.name}</code></a> }.into_any(),
        None => view! { <code>{member.name}</code> }.into_any(),
    };
    let cost = if member.cost == 0 { "–".to_owned() } else { money::format_micros(member.cost) };
    view! {
        <tr>
            <td><span class="team-member"><Mark seed=member.seed />{name}</span>{speaker}</td>
            <td>{member.roles.join(", ")}</td>
            <td>{translated_text(member.status.to_owned())}{reason}</td>
            <td class="number">{member.messages}</td>
            <td class="number">{grouped(member.tokens)}</td>
            <td class="number">{cost}</td>
            <td class:end=!over>{last}</td>
        </tr>
    }
    .into_any()
}

fn buttons(seat: u16, name: &str, may: MemberActions, is_speaker: bool, action: &str) -> AnyView {
    let one = |what: &str, label: String, kind: Kind| {
        let fields = vec![("action", what.to_owned()), ("seat", seat.to_string())];
        view! { <ActionForm action=action label=label kind=kind fields=fields about=name.to_owned() /> }
            .into_any()
    };
    match may {
        MemberActions::Nothing => ().into_any(),
        MemberActions::GoOn => {
            view! { <div class="row-actions">{one("resume_member", text!("member-resume"), Kind::Quiet)}{one("remove_member", text!("remove"), Kind::Quiet)}</div> }.into_any()
        }
        MemberActions::Rest => {
            let speaker = (!is_speaker).then(|| one("set_speaker", text!("member-make-speaker"), Kind::Quiet));
            view! { <div class="row-actions">{speaker}{one("pause_member", text!("member-pause"), Kind::Quiet)}{one("remove_member", text!("remove"), Kind::Quiet)}</div> }.into_any()
        }
    }
}

fn transcript(lines: Vec<UtteranceView>, by_share_link: bool) -> Option<AnyView> {
    if lines.is_empty() {
        return None;
    }
    let lines = lines
        .into_iter()
        .map(|line| {
            let owner = if by_share_link { text!("team-owner") } else { text!("you") };
            let by = line.by.unwrap_or(owner);
            view! { <li><p class="quiet"><code>{by}</code></p><div class="prose" inner_html=line.text.into_string()></div></li> }
        })
        .collect_view();
    Some(
        view! { <Section title=text!("team-latest")><ol class="team-said" role="list">{lines}</ol></Section> }
            .into_any(),
    )
}

/// Renders the owner actions.
fn controls(action: &str, may_skip: bool, form: &Form) -> AnyView {
    let (message, invite, cancel) = (action.to_owned(), action.to_owned(), action.to_owned());
    let text = Field::lines("text", text!("team-message-all"), 2).max(16_000).of(form);
    let address = Field::text("address", text!("team-add-member")).placeholder("@owner/name").mono().of(form);
    let do_it = |what: &str| vec![("action", what.to_owned())];
    let skip = may_skip
        .then(|| view! { <ActionForm action=action label=text!("team-skip") fields=do_it("skip_turn") /> });
    view! {
        <Section title=text!("team-actions")>
            <form class="stack form-wide" method="post" action=message>
                <input type="hidden" name="action" value="message" />
                {text}
                <p class="actions"><Button label=text!("send-message") icon=Icon::Send /></p>
            </form>
            <form class="stack form-wide" method="post" action=invite>
                <input type="hidden" name="action" value="invite_member" />
                {address}
                <p class="actions"><Button label=text!("team-invite") icon=Icon::Add /></p>
            </form>
            <div class="row-actions">
                {skip}
                <ActionForm action=cancel label=text!("team-stop") kind=Kind::Danger icon=Icon::Stop fields=do_it("cancel_team") />
            </div>
        </Section>
    }
    .into_any()
}
