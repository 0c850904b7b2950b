//! Teams below: a member forms one for its assignment. Its outcome is the report of the assignment; an assignment that
//! ends otherwise ends it.

use plexus_domain::{
    Address, ChatId, Digest, Error as Refusal,
    chat::{ChatKind, Title},
    event::Event as ChatEvent,
    run::Usage,
    team::{
        Author, Entry, Event, Identity, Note, Proposal, Team, Words, WorkNo, WorkState,
        formation::{self, Candidate, Search, Skill},
        member::Invitee,
        work::{End, Report},
    },
};
use plexus_store::{
    chats,
    teams::{self, TeamState},
};

use super::{
    conduct::{self, Conductor},
    invite, launch, record,
    room::Wish,
};
use crate::{
    Error, Result,
    chats::{Telling, saying::insert_chat},
};

/// With fewer needs a member works alone.
const FEWEST_NEEDS: usize = 2;
/// How often a conductor that leaves looks for reports before it gives up.
const LAST_LOOKS: usize = 4;

/// Whether a team below works on the assignment.
pub(super) fn is_below(team: &Team, no: WorkNo) -> bool {
    team.work_item(no).is_some_and(|work| work.child.is_some())
}

/// Whether there is anything to look at above or below.
pub(super) fn has_kin(team: &Team) -> bool {
    team.charter().lineage.is_some() || team.unheard().next().is_some()
}

/// Forms a team for an assignment that its member can do in part, where others can do the rest. False when it works alone.
pub(super) async fn consider(conductor: &mut Conductor, no: WorkNo) -> Result<bool> {
    let Some(work) = conductor.team.work_item(no) else { return Ok(false) };
    let needs = conductor.team.needs_of(no);
    let is_new = work.state == WorkState::Offered && conductor.team.limits().depth > 0;
    if !is_new || needs.len() < FEWEST_NEEDS || conductor.alone.contains(&no) {
        return Ok(false);
    }
    let by = Author::Seat(work.to);
    let members = match helpers(conductor, no, &needs).await? {
        Some((itself, candidates, places)) => {
            let search = Search { needs: &needs, places, last_round: false, team: conductor.team.id() };
            formation::alone_or_helped(search, &itself, &candidates)
        }
        None => None,
    };
    let Some(members) = members else {
        conductor.alone.insert(no);
        return Ok(false);
    };
    match form(conductor, by, no, members).await {
        Ok(()) => Ok(true),
        Err(Error::Refused(refusal @ Refusal::Conflict { .. })) => {
            tracing::debug!(team = %conductor.team.id(), %refusal, "a member works alone");
            conductor.alone.insert(no);
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Whoever has the assignment, whom the index knows for it, and how many may be chosen.
async fn helpers(
    conductor: &Conductor,
    no: WorkNo,
    needs: &[Skill],
) -> Result<Option<(Identity, Vec<Candidate>, u16)>> {
    let team = &conductor.team;
    let Some(work) = team.work_item(no) else { return Ok(None) };
    let Some(member) = team.member(work.to) else { return Ok(None) };
    let title = work.spec.title.as_str();
    let candidates = invite::candidates(&conductor.hub, &conductor.asker, needs, title).await?;
    Ok(Some((member.invitee.identity.clone(), candidates, team.limits().members)))
}

/// The owner wants it: of whoever has the assignment and these, or those whom the hub finds.
pub(super) async fn nest(conductor: &mut Conductor, no: WorkNo, named: Vec<Address>) -> Result<()> {
    let missing = || Refusal::not_found("There is no such piece of work.");
    let nobody = || {
        Refusal::conflict(
            "The hub found nobody who could help with this. Name members, or leave it to whoever has it.",
        )
    };
    let needs = conductor.team.needs_of(no);
    let (itself, candidates, places) = helpers(conductor, no, &needs).await?.ok_or_else(missing)?;
    let members = if named.is_empty() {
        let search = Search { needs: &needs, places, last_round: true, team: conductor.team.id() };
        formation::helped(search, &itself, &candidates).ok_or_else(nobody)?
    } else {
        let named = named.into_iter().map(|address| Identity::Agent { address });
        let others = named.filter(|identity| identity.key() != itself.key());
        let all = std::iter::once(itself.clone()).chain(others);
        all.map(|identity| Invitee { identity, roles: Vec::new(), key: None }).collect()
    };
    form(conductor, Author::Owner, no, members).await
}

/// Founds the team and writes down that it works on the assignment, both or neither.
async fn form(conductor: &mut Conductor, by: Author, no: WorkNo, members: Vec<Invitee>) -> Result<()> {
    let hub = conductor.hub.clone();
    let mut tx = hub.store().write().await?;
    let title = title(&conductor.team, no);
    let chat = insert_chat(&hub, &mut tx, conductor.asker.principal, ChatKind::Team, title, None).await?;
    let now = hub.env().now();
    let founded = conductor.team.found_below(by, no, chat.id, members, now).map_err(Refusal::from)?;
    launch::insert(&mut tx, &founded.team).await?;
    record::append(&mut tx, &conductor.key, Digest::of(b""), &founded.log).await?;
    let mut telling = Telling::new(&chat);
    telling.say(launch::said(&hub, &founded.team, &conductor.asker));
    telling.record(ChatEvent::Team { entry: founded.log.last().map_or(0, Entry::seq) });
    telling.begin_with(&hub, &mut tx).await?;
    conductor.team = record::commit_with(&hub, tx, &conductor.key, &conductor.team, &founded.above).await?;
    conductor.leave_off(no).await;
    conduct::begin(&hub, founded.team.id(), conductor.asker.clone());
    record::tell_above(&hub, &founded.team).await;
    Ok(())
}

/// The team is called what its assignment is, unless that is called "The goal".
fn title(team: &Team, no: WorkNo) -> Title {
    let goal = team.charter().goal.as_str();
    let spec = team.work_item(no).map(|work| &work.spec);
    let own = spec.filter(|spec| spec.description.as_str() != goal).map(|spec| spec.title.as_str());
    Title::from_message(own.unwrap_or(goal))
}

/// Takes in what teams below have come to, ends those that nobody waits for, and this one when nobody waits for it.
pub(super) async fn look(conductor: &mut Conductor) -> Result<()> {
    let unheard = conductor.team.unheard().map(|(no, work, team)| (no, work.to, work.is_open(), team));
    for (no, to, is_open, team) in unheard.collect::<Vec<_>>() {
        if goes_on(conductor, team).await? == Some(true) {
            if !is_open {
                // What is lost on the way is made up for by `heed`.
                conductor.hub.teams().tell(team, Wish::Event(Author::Home, nobody_waits()?));
            }
        } else if let Some(report) = outcome(conductor, team).await? {
            conductor.note(Author::Seat(to), Event::Reported { work: no, report }).await?;
        }
    }
    heed(conductor).await
}

/// Whether a team has yet to end; none where it is gone.
async fn goes_on(conductor: &Conductor, team: ChatId) -> Result<Option<bool>> {
    let state = teams::state(&mut conductor.hub.store().read().await?, team).await?;
    Ok(state.map(|state| matches!(state, TeamState::Forming | TeamState::Working)))
}

/// What a team that has ended reports; also where it is gone.
async fn outcome(conductor: &Conductor, team: ChatId) -> Result<Option<Report>> {
    match record::replay(&mut conductor.hub.store().read().await?, team).await {
        Ok(team) => Ok(team.report_above()),
        Err(Error::Refused(Refusal::NotFound { .. })) => {
            let text = Words::cut("The team that worked on it is gone.");
            Ok(Some(Report { end: End::Failed, text, usage: Usage::default(), hops: 0 }))
        }
        Err(error) => Err(error),
    }
}

/// Ends this team when the assignment that it was formed for has ended.
async fn heed(conductor: &mut Conductor) -> Result<()> {
    let Some(lineage) = conductor.team.charter().lineage.clone() else { return Ok(()) };
    if conductor.team.outcome().is_some() {
        return Ok(());
    }
    let team = conductor.team.id();
    let waits = match above(conductor, lineage.parent).await {
        Ok(above) => above
            .work_item(lineage.work)
            .is_some_and(|work| work.is_open() && work.child.is_some_and(|child| child.team == team)),
        Err(Error::Refused(Refusal::NotFound { .. })) => false,
        Err(error) => return Err(error),
    };
    if waits { Ok(()) } else { conductor.note(Author::Home, nobody_waits()?).await }
}

/// The team above as it is now. Of its log only what is new is read.
async fn above(conductor: &mut Conductor, id: ChatId) -> Result<&Team> {
    let mut conn = conductor.hub.store().read().await?;
    let above = match conductor.above.take() {
        Some(mut known) => record::catch_up(&mut conn, &mut known).await.map(|()| known)?,
        None => record::replay(&mut conn, id).await?,
    };
    Ok(conductor.above.insert(above))
}

fn nobody_waits() -> Result<Event> {
    let reason = "What it was to do is not waited for any more.";
    Ok(Event::Cancelled { reason: Note::try_from(reason.to_owned())? })
}

/// What a conductor does last: it ends the teams below, and where the team above ended before, it writes down there what
/// this one used.
pub(super) async fn leave(conductor: &mut Conductor) {
    if conductor.team.outcome().is_none() {
        return;
    }
    let team = conductor.team.id();
    if let Err(error) = look_last(conductor).await {
        tracing::warn!(%team, %error, "teams below end by themselves");
    }
    if let Err(error) = report_late(conductor).await {
        tracing::warn!(%team, %error, "what a team used is not written down above");
    }
}

/// Teams below may write their reports at this very moment, too: then what there is by now is looked at again.
async fn look_last(conductor: &mut Conductor) -> Result<()> {
    for _ in 1..LAST_LOOKS {
        if look(conductor).await.is_ok() {
            return Ok(());
        }
        let mut conn = conductor.hub.store().read().await?;
        record::catch_up(&mut conn, &mut conductor.team).await?;
    }
    look(conductor).await
}

/// A team above that is at work takes the report itself.
async fn report_late(conductor: &Conductor) -> Result<()> {
    let (hub, team) = (&conductor.hub, &conductor.team);
    let Some((lineage, report)) = team.charter().lineage.as_ref().zip(team.report_above()) else {
        return Ok(());
    };
    if goes_on(conductor, lineage.parent).await? != Some(false) {
        return Ok(());
    }
    let mut tx = hub.store().write().await?;
    // Others may report to it, too: it is read when nobody else can write any more.
    if chats::lock(&mut tx, lineage.parent).await?.is_none() {
        return Ok(());
    }
    let above = record::replay(&mut tx, lineage.parent).await?;
    let mut unheard = above.unheard().filter(|(.., child)| *child == team.id());
    let Some((no, work, _)) = unheard.next() else { return Ok(()) };
    let event = Event::Reported { work: no, report };
    let proposal = Proposal { team: above.id(), by: Author::Seat(work.to), event, proof: None };
    let entries = above.propose(&proposal, hub.env().now()).map_err(Refusal::from)?;
    record::commit_with(hub, tx, &conductor.key, &above, &entries).await.map(drop)
}
