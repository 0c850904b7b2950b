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

use crate::rendering::Pen;

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
pub(super) fn page(view: TeamView, guest: bool, pen: &mut Pen) -> TeamPage {
    let names: Vec<String> = view.members.iter().map(|member| member.name.clone()).collect();
    let name = |seat: Seat| names.get(usize::from(seat.0)).cloned().unwrap_or_default();
    let over = view.ended.is_some();
    TeamPage {
        id: view.id.to_string(),
        title: Title::from_message(&view.goal).as_str().to_owned(),
        standing: standing(view.state),
        strip: TeamStatusBar {
            phase: phase(view.phase).to_owned(),
            floor: view.floor.map(name),
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
        above: view.above.iter().map(kin_row).collect(),
        below: below(&view.below, view.id),
        work: view
            .work
            .iter()
            .map(|work| self::work(work, name(work.to), view.depth_left > 0, guest, pen))
            .collect(),
        members: view.members.into_iter().map(|one| member(one, view.floor, over, guest)).collect(),
        plan: view.plan,
        said: view
            .said
            .into_iter()
            .map(|(seat, text)| UtteranceView { by: seat.map(name), text: pen.html("", &text) })
            .collect(),
        answer: view.answer.as_deref().map(|text| pen.html("", text)),
        failed: view.failed,
        may_skip: view.phase == "discussing",
        goal: view.goal,
        guest,
        report: None,
        step: None,
        form: Form::default(),
    }
}

fn kin_row(kin: &RelatedTeam) -> SubteamNode {
    let (href, standing) = (format!("/teams/{}", kin.id), standing(kin.state));
    SubteamNode { href, title: kin.title.clone(), standing, below: Vec::new() }
}

/// Builds the tree of subteams.
fn below(all: &[RelatedTeam], parent: ChatId) -> Vec<SubteamNode> {
    let own = all.iter().filter(|kin| kin.parent == Some(parent));
    own.map(|kin| SubteamNode { below: below(all, kin.id), ..kin_row(kin) }).collect()
}

fn phase(phase: &str) -> &'static str {
    match phase {
        "forming" => "Looking for members",
        "discussing" => "A member has the floor",
        "polling" => "Polling all members",
        "waiting" => "Waiting for assignments",
        "concluding" => "Writing the answer",
        "concluded" => "Done",
        "cancelled" => "Cancelled",
        _ => "Failed",
    }
}

fn member(view: MemberView, floor: Option<Seat>, over: bool, guest: bool) -> Member {
    let (presence, may) = match view.presence {
        "invited" => ("Invited", MemberActions::Nothing),
        "active" if over => ("Participated", MemberActions::Nothing),
        "active" => ("Active", MemberActions::Rest),
        "held" => ("Paused", MemberActions::GoOn),
        "declined" => ("Declined", MemberActions::Nothing),
        "silent" => ("No answer", MemberActions::Nothing),
        _ => ("Left", MemberActions::Nothing),
    };
    Member {
        seat: view.seat.0,
        href: (!guest).then(|| format!("/{}", view.name)),
        seed: view.seed.unwrap_or_else(|| view.name.clone()),
        name: view.name,
        roles: view.roles,
        presence,
        why: view.why,
        has_floor: !over && floor == Some(view.seat),
        messages: view.counts.messages,
        tokens: view.counts.usage.tokens(),
        cost: view.counts.usage.cost_micro,
        worked: None,
        may,
    }
}

fn work(view: &AssignmentView, to: String, may_nest: bool, guest: bool, pen: &mut Pen) -> AssignmentCard {
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
        text: view.text.as_deref().filter(|_| !asks).map(|text| pen.html("", text)),
        tokens: view.usage.tokens(),
        team: view.team.filter(|_| !guest).map(|team| format!("/teams/{team}")),
        may_nest: may_nest && is_open && view.team.is_none(),
    }
}
