//! Property test of team trees up to depth 8: members form subteams at any moment and every team may crash.
//!
//! Reports and cancellations between teams are delayed, duplicated, reordered or lost.

use std::time::Duration;

use plexus_domain::{
    ChatId, Timestamp,
    team::{
        AssignmentMode, AssignmentNo, Seat, Team, TeamActor, TeamError, TeamEvent, TeamLimits, TeamSpec,
        Utterance, assignment::AssignmentOutcome, decision::rule_based,
    },
};
use proptest::prelude::*;

use crate::fixtures::{World, agent, assign, charter, report, speakers, text};

#[derive(Clone, Copy, Debug)]
enum Act {
    /// A member that is asked says what the rules choose.
    Speak(u16),
    /// A member that is asked creates an assignment.
    Give(u16, bool),
    /// A member, or the owner for it, forms a subteam; its members accept or not.
    Nest {
        team: u16,
        work: u16,
        who: u8,
        come: bool,
        owner: bool,
    },
    Report(u16, u16, u8),
    Stop(u16, u16),
    Leave(u16, u16),
    Cancel(u16),
    /// An ended team reports to its parent.
    Up(u16),
    /// A team cancels its orphaned subteams.
    Down(u16),
    Wait(u32),
    Crash(u16),
}

fn act() -> impl Strategy<Value = Act> {
    let number = any::<u16>;
    prop_oneof![
        6 => number().prop_map(Act::Speak),
        4 => (number(), any::<bool>()).prop_map(|(team, now)| Act::Give(team, now)),
        8 => (number(), number(), any::<u8>(), 0..8_u8, any::<bool>()).prop_map(|(team, work, who, come, owner)| {
            Act::Nest { team, work, who, come: come > 0, owner }
        }),
        3 => (number(), number(), any::<u8>()).prop_map(|(team, work, end)| Act::Report(team, work, end)),
        1 => (number(), number()).prop_map(|(team, work)| Act::Stop(team, work)),
        1 => (number(), number()).prop_map(|(team, seat)| Act::Leave(team, seat)),
        1 => number().prop_map(Act::Cancel),
        4 => number().prop_map(Act::Up),
        3 => number().prop_map(Act::Down),
        2 => (0..90_000_u32).prop_map(Act::Wait),
        3 => number().prop_map(Act::Crash),
    ]
}

pub struct Node {
    pub world: World,
    above: Option<(usize, AssignmentNo)>,
    level: u8,
}

/// A team with all its subteams, in order of creation.
pub struct Tree {
    pub nodes: Vec<Node>,
    now: Timestamp,
    /// Tokens used by members directly.
    spent: u64,
}

const DEPTH: u8 = 8;

impl Tree {
    fn found() -> Self {
        let (time_ms, assignment_ms) = (60 * 60_000, 50 * 60_000);
        let limits = TeamLimits {
            max_subteam_depth: DEPTH,
            max_assignments: 300,
            max_members: 5,
            rounds: 1,
            time_ms,
            assignment_ms,
            ..TeamLimits::default()
        };
        let world = World::found(TeamSpec { limits, ..charter() }).with_members(3);
        let now = world.now;
        Self { nodes: vec![Node { world, above: None, level: 0 }], now, spent: 0 }
    }

    /// Returns a chain of maximum depth with an open assignment on each level and no member working.
    pub fn chain() -> Self {
        let mut tree = Self::found();
        for who in 0..=DEPTH {
            let newest = tree.nodes.len() - 1;
            tree.give(newest, true).unwrap();
            if who < DEPTH {
                tree.nest(newest, 0, 16 + who, true, false).unwrap();
            }
        }
        tree
    }

    /// Mostly selects the newest team, so that trees grow deep.
    fn pick(&self, number: u16) -> usize {
        let last = self.nodes.len() - 1;
        if number.is_multiple_of(3) { usize::from(number) % (last + 1) } else { last }
    }

    fn work(&self, node: usize, number: u16) -> Option<AssignmentNo> {
        let open: Vec<AssignmentNo> =
            self.nodes[node].world.team.open_assignments().map(|(no, _)| no).collect();
        open.get(usize::from(number) % open.len().max(1)).copied()
    }

    /// Performs an act. Errors are ignored: the test checks the invariants after each step.
    fn act(&mut self, act: Act) {
        let _ = match act {
            Act::Speak(team) => self.speak(self.pick(team)),
            Act::Give(team, now) => self.give(self.pick(team), now),
            Act::Nest { team, work, who, come, owner } => self.nest(self.pick(team), work, who, come, owner),
            Act::Report(team, work, end) => self.report(self.pick(team), work, end),
            Act::Stop(team, work) => match (self.pick(team), self.work(self.pick(team), work)) {
                (node, Some(assignment)) => {
                    self.propose(node, TeamActor::Owner, TeamEvent::AssignmentCancelled { assignment })
                }
                _ => Ok(()),
            },
            Act::Leave(team, number) => {
                let node = self.pick(team);
                let seats = self.nodes[node].world.team.members().len().max(1);
                let seat = Seat(u16::try_from(usize::from(number) % seats).unwrap());
                self.propose(
                    node,
                    TeamActor::Home,
                    TeamEvent::Left { seat, reason: text("Its hub is gone.") },
                )
            }
            Act::Cancel(team) => self.cancel(self.pick(team)),
            Act::Up(team) => self.up(usize::from(team) % self.nodes.len()),
            Act::Down(team) => {
                self.down(usize::from(team) % self.nodes.len());
                Ok(())
            }
            Act::Wait(millis) => {
                self.now = self.now + Duration::from_millis(millis.into());
                Ok(())
            }
            Act::Crash(team) => {
                let node = self.pick(team);
                self.nodes[node].world.crash();
                Ok(())
            }
        };
        self.check();
    }

    fn propose(&mut self, node: usize, by: TeamActor, event: TeamEvent) -> Result<(), TeamError> {
        let world = &mut self.nodes[node].world;
        world.now = self.now;
        world.propose(by, event)
    }

    fn say(&mut self, node: usize, utterance: Utterance) -> Result<(), TeamError> {
        let Some(seat) = speakers(&self.nodes[node].world.team).first().copied() else { return Ok(()) };
        self.nodes[node].world.now = self.now;
        self.nodes[node].world.say(seat, utterance)?;
        self.spent += 15;
        Ok(())
    }

    fn speak(&mut self, node: usize) -> Result<(), TeamError> {
        let team = &self.nodes[node].world.team;
        let Some(seat) = speakers(team).first().copied() else { return Ok(()) };
        let utterance = rule_based::decide(team, seat).unwrap();
        self.say(node, utterance)
    }

    fn give(&mut self, node: usize, now: bool) -> Result<(), TeamError> {
        let Some(to) = self.nodes[node].world.team.active().last() else { return Ok(()) };
        self.say(node, assign(if now { AssignmentMode::Now } else { AssignmentMode::Background }, &[to.0]))
    }

    /// Forms a subteam. Both logs get their entries or neither does, as in one transaction.
    fn nest(&mut self, node: usize, work: u16, who: u8, come: bool, owner: bool) -> Result<(), TeamError> {
        let Some(no) = self.work(node, work) else { return Ok(()) };
        let (team, number) = (&self.nodes[node].world.team, u32::try_from(self.nodes.len()).unwrap());
        let to = team.assignment(no).unwrap().to;
        let by = if owner { TeamActor::Owner } else { TeamActor::Seat(to) };
        // Few names, so that the same members occur again in ancestors.
        let members = [who % 4, who / 4 % 4 + 4].map(|name| agent(&format!("agent{name}"))).to_vec();
        let id =
            ChatId::new(self.now, &[number.to_be_bytes().as_slice(), &[7; 6]].concat().try_into().unwrap());
        let founding = team.create_subteam(by, no, id, members, self.now)?;
        let level = self.nodes[node].level + 1;
        self.nodes[node].world.now = self.now;
        self.nodes[node].world.commit(founding.parent_log);
        let world = World { team: founding.team, log: founding.log, now: self.now };
        self.nodes.push(Node { world, above: Some((node, no)), level });
        if come {
            let new = self.nodes.len() - 1;
            for seat in self.nodes[new].world.team.seats().collect::<Vec<_>>() {
                self.propose(new, TeamActor::Seat(seat), TeamEvent::Accepted)?;
            }
        }
        Ok(())
    }

    /// A member reports on an assignment without subteam.
    fn report(&mut self, node: usize, work: u16, end: u8) -> Result<(), TeamError> {
        let Some(no) = self.work(node, work) else { return Ok(()) };
        let item = self.nodes[node].world.team.assignment(no).unwrap();
        if item.child.is_some() {
            return Ok(());
        }
        let (by, report) =
            (TeamActor::Seat(item.to), report(AssignmentOutcome::ALL[usize::from(end) % 5], "Words."));
        self.propose(node, by, TeamEvent::Reported { assignment: no, report })?;
        self.spent += 150;
        Ok(())
    }

    fn cancel(&mut self, node: usize) -> Result<(), TeamError> {
        self.propose(node, TeamActor::Home, TeamEvent::Cancelled { reason: text("Stop.") })
    }

    fn up(&mut self, node: usize) -> Result<(), TeamError> {
        let Some((above, assignment)) = self.nodes[node].above else { return Ok(()) };
        let Some(report) = self.nodes[node].world.team.report_to_parent() else { return Ok(()) };
        let to = self.nodes[above].world.team.assignment(assignment).unwrap().to;
        self.propose(above, TeamActor::Seat(to), TeamEvent::Reported { assignment, report })
    }

    fn down(&mut self, node: usize) {
        let orphans: Vec<ChatId> = self.nodes[node].world.team.orphaned_subteams().collect();
        for index in 0..self.nodes.len() {
            if orphans.contains(&self.nodes[index].world.team.id()) {
                let _ = self.cancel(index);
            }
        }
    }

    fn check(&self) {
        for node in &self.nodes {
            let (team, lineage) = (&node.world.team, node.world.team.charter().lineage.as_ref());
            assert_eq!(lineage.map_or(0, |lineage| lineage.ancestors.len()), usize::from(node.level));
            assert_eq!(
                team.limits().max_subteam_depth + node.level,
                DEPTH,
                "each level has one less to give"
            );
            let Some((above, work)) = node.above else { continue };
            let above = &self.nodes[above].world.team;
            assert_eq!(above.assignment(work).unwrap().child.unwrap().team, team.id());
            assert!(team.hard_deadline() <= above.conclude_at(), "it ends within the time of the team above");
            assert!(team.hard_deadline() <= above.assignment(work).unwrap().deadline);
            assert!(
                above.limits().budget().checked_sub(team.limits().budget()) != Default::default(),
                "a share, not all"
            );
        }
    }

    /// Advances the time until every team has ended. If `is_cut`,
    /// no messages are delivered and only timeouts apply.
    pub fn drain(&mut self, is_cut: bool) {
        loop {
            if !is_cut {
                for node in (0..self.nodes.len()).rev() {
                    let _ = self.up(node);
                    self.down(node);
                }
            }
            let Some(due) = self.nodes.iter().filter_map(|node| node.world.team.due()).min() else { return };
            self.now = self.now.max(due);
            for node in &mut self.nodes {
                if node.world.team.due().is_some_and(|due| due <= self.now) {
                    node.world.now = self.now;
                    node.world.wait();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(plexus_testing::cases(96))]

    #[test]
    fn any_tree_ends_in_time(acts in prop::collection::vec(act(), 0..160), is_cut in any::<bool>()) {
        let mut tree = Tree::found();
        acts.into_iter().for_each(|act| tree.act(act));
        let began = tree.now;
        tree.drain(is_cut);
        let top = tree.nodes[0].world.team.hard_deadline();
        for node in &tree.nodes {
            prop_assert!(node.world.team.outcome().is_some());
            prop_assert_eq!(node.world.team.open_assignments().count(), 0);
            prop_assert!(node.world.team.ended_at().unwrap() <= top.max(began));
            prop_assert_eq!(&Team::replay(&node.world.log).unwrap(), &node.world.team);
        }
        // Lost reports are delivered at the end, in any order, and count once.
        for node in (0..tree.nodes.len()).chain((0..tree.nodes.len()).rev()).chain(0..tree.nodes.len()) {
            let _ = tree.up(node);
        }
        for node in &tree.nodes {
            let Some((above, work)) = node.above else { continue };
            prop_assert!(tree.nodes[above].world.team.assignment(work).unwrap().child.unwrap().heard.is_some());
            prop_assert_eq!(tree.nodes[above].world.team.orphaned_subteams().count(), 0);
        }
        prop_assert_eq!(tree.nodes[0].world.team.usage().tokens(), tree.spent, "all of it counts, and nothing twice");
    }
}

/// Ensures that random trees can reach the maximum depth.
#[test]
fn a_tree_grows_to_the_depth_and_no_further() {
    let mut tree = Tree::chain();
    assert_eq!(tree.nodes.len(), usize::from(DEPTH) + 1);
    tree.check();
    let deepest = tree.nodes.len() - 1;
    let refused = tree.nest(deepest, 0, 16, true, false);
    assert!(matches!(refused, Err(TeamError::NoTeamBelow(_))), "{refused:?}");
    tree.report(deepest, 0, 0).unwrap();
    let mut node = deepest;
    while tree.nodes[0].world.team.outcome().is_none() {
        tree.speak(node).unwrap();
        tree.up(node).unwrap();
        node = tree.nodes[node].above.map_or(0, |(above, _)| above);
    }
    assert_eq!(tree.nodes[0].world.team.usage().tokens(), tree.spent, "all of it counts at the top");
}
