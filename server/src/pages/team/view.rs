//! Converts a team to the view model of its page.

use plexus_app::view_models::{
    Form,
    team::{
        AssignmentCard, AssignmentTone, Member, MemberActions, SubteamNode, TeamPage, TeamStatus,
        TeamStatusBar, UtteranceView,
    },
};
use plexus_domain::{ChatId, chat::Title, team::Seat};
use plexus_hub::teams::{AssignmentView, MemberView, RelatedTeam, TeamState, TeamView};

use crate::rendering::TextRenderer;

pub(super) const fn standing(state: TeamState) -> TeamStatus {
    match state {
        TeamState::Forming => TeamStatus::Forming,
        TeamState::Working => TeamStatus::Working,
        TeamState::Closed => TeamStatus::Done,
        TeamState::Failed => TeamStatus::Failed,
        TeamState::Cancelled => TeamStatus::Cancelled,
        TeamState::Lost => TeamStatus::Lost,
    }
}

/// Builds the page. `guest`: the reader holds a share link, so members and other teams are not linked.
pub(super) fn page(view: TeamView, by_share_link: bool, renderer: &mut TextRenderer) -> TeamPage {
    let names: Vec<String> = view.members.iter().map(|member| member.name.clone()).collect();
    let name = |seat: Seat| names.get(usize::from(seat.0)).cloned().unwrap_or_default();
    let over = view.ended.is_some();
    TeamPage {
        id: view.id.to_string(),
        title: Title::from_message(&view.goal).as_str().to_owned(),
        standing: standing(view.state),
        strip: TeamStatusBar {
            phase: phase(view.phase).to_owned(),
            speaker: view.speaker.map(name),
            turn: view.turn,
            turns: view.turns,
            launched: view.launched,
            deadline: view.deadline,
            ended: view.ended,
            tokens: view.usage.tokens(),
            // Tokens reserved for subteams are not used yet.
            tokens_left: view.limits.tokens.saturating_sub(view.usage.tokens()),
            cost: view.usage.cost_micro,
            most_cost: view.limits.cost_micro,
        },
        ancestors: view.ancestors.iter().map(kin_row).collect(),
        subteams: subteams(&view.subteams, view.id),
        assignments: view
            .assignments
            .iter()
            .map(|work| assignment(work, name(work.to), view.depth_left > 0, by_share_link, renderer))
            .collect(),
        members: view.members.into_iter().map(|one| member(one, view.speaker, over, by_share_link)).collect(),
        plan: view.plan,
        transcript: view
            .transcript
            .into_iter()
            .map(|(seat, text)| {
                // Without a seat it is the owner, whose text is typed.
                let text = if seat.is_some() { renderer.html("", &text) } else { renderer.typed(&text) };
                UtteranceView { by: seat.map(name), text }
            })
            .collect(),
        answer: view.answer.as_deref().map(|text| renderer.html("", text)),
        failure: view.failure,
        may_skip: view.phase == "discussing",
        goal: view.goal,
        by_share_link,
        report: None,
        step: None,
        form: Form::default(),
    }
}

fn kin_row(kin: &RelatedTeam) -> SubteamNode {
    let (href, standing) = (format!("/teams/{}", kin.id), standing(kin.state));
    SubteamNode { href, title: kin.title.clone(), standing, subteams: Vec::new() }
}

/// Builds the tree of subteams.
fn subteams(all: &[RelatedTeam], parent: ChatId) -> Vec<SubteamNode> {
    let own = all.iter().filter(|kin| kin.parent == Some(parent));
    own.map(|kin| SubteamNode { subteams: subteams(all, kin.id), ..kin_row(kin) }).collect()
}

fn phase(phase: &str) -> &'static str {
    match phase {
        "forming" => "Choosing agents",
        "discussing" => "A member speaks",
        "polling" => "Polling all members",
        "waiting" => "Waiting for results",
        "concluding" => "Writing the answer",
        "concluded" => "Done",
        "cancelled" => "Cancelled",
        _ => "Failed",
    }
}

fn member(view: MemberView, speaker: Option<Seat>, over: bool, by_share_link: bool) -> Member {
    let (status, may) = match view.status {
        "invited" => ("Invited", MemberActions::Nothing),
        "active" if over => ("Participated", MemberActions::Nothing),
        "active" => ("Active", MemberActions::Rest),
        "paused" => ("Paused", MemberActions::GoOn),
        "declined" => ("Declined", MemberActions::Nothing),
        "silent" => ("No answer", MemberActions::Nothing),
        _ => ("Left", MemberActions::Nothing),
    };
    Member {
        seat: view.seat.0,
        href: (!by_share_link).then(|| format!("/{}", view.name)),
        seed: view.seed.unwrap_or_else(|| view.name.clone()),
        name: view.name,
        roles: view.roles,
        status,
        reason: view.reason,
        is_speaker: !over && speaker == Some(view.seat),
        messages: view.counts.messages,
        tokens: view.counts.usage.tokens(),
        cost: view.counts.usage.cost_micro,
        worked: None,
        may,
    }
}

fn assignment(
    view: &AssignmentView,
    to: String,
    may_form: bool,
    by_share_link: bool,
    renderer: &mut TextRenderer,
) -> AssignmentCard {
    let (state, tone) = match view.state {
        "offered" => ("Offered", AssignmentTone::Open),
        "working" | "answered" => ("Working", AssignmentTone::Open),
        "asking" => ("Asks a question", AssignmentTone::Asking),
        "completed" => ("Done", AssignmentTone::Good),
        "failed" => ("Failed", AssignmentTone::Bad),
        "rejected" => ("Declined", AssignmentTone::Bad),
        "timed_out" => ("Timed out", AssignmentTone::Bad),
        _ => ("Stopped", AssignmentTone::Neutral),
    };
    let asks = tone == AssignmentTone::Asking;
    let is_open = matches!(tone, AssignmentTone::Open | AssignmentTone::Asking);
    AssignmentCard {
        number: view.no.0,
        title: view.title.clone(),
        to,
        state,
        tone,
        question: view.text.clone().filter(|_| asks),
        text: view.text.as_deref().filter(|_| !asks).map(|text| renderer.html("", text)),
        tokens: view.usage.tokens(),
        team: view.team.filter(|_| !by_share_link).map(|team| format!("/teams/{team}")),
        may_form_subteam: may_form && is_open && view.team.is_none(),
    }
}
