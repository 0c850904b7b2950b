//! Savings of repeat suppression: members make two points each and then repeat them. Compares the messages
//! that others read and the token cost with and without suppression. Simulates only the protocol, without
//! real time.

use std::time::Duration;

use anyhow::Context as _;
use plexus_domain::{
    ChatId, Text, Timestamp,
    run::Usage,
    team::{
        LongText, MemberIdentity, Pattern, Proposal, Seat, Team, TeamActor, TeamEvent, TeamLimits, TeamSpec,
        Utterance,
        decision::{DecisionRequest, as_data, rule_based},
        member::Invitee,
        pattern::RoundRobin,
    },
};

const MEMBERS: u16 = 4;
const ROUNDS: u8 = 6;
/// Approximation for the tokenizers of language models.
const BYTES_PER_TOKEN: usize = 4;

/// Cost of one goal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Number of turns given to members.
    pub turns: u32,
    /// Messages of one member that the others read.
    pub messages: u32,
    /// Tokens of the prompts to members and of their answers.
    pub tokens: usize,
}

/// Simulates the conversation once.
pub fn play(suppress_repeats: bool) -> anyhow::Result<Cost> {
    let mut talk = Talk::begin(suppress_repeats)?;
    let mut cost = Cost::default();
    while talk.team.outcome().is_none() {
        let seat = talk.team.speaker().context("a member speaks")?;
        cost.turns += 1;
        let told = DecisionRequest::new(&talk.team, seat).context("the speaker is asked")?;
        let utterance = talk.words(seat)?;
        let said = serde_json::to_string(&utterance)?;
        cost.tokens += (as_data(&told)?.len() + said.len()) / BYTES_PER_TOKEN;
        let (turn, usage) = (talk.team.turn(), Usage::default());
        talk.propose(TeamActor::Seat(seat), TeamEvent::Said { turn, utterance, usage })?;
    }
    let counts = talk.team.members().iter().map(|member| member.counts);
    cost.messages = counts.map(|counts| counts.messages - counts.suppressed).sum();
    Ok(cost)
}

struct Talk {
    team: Team,
    now: Timestamp,
}

impl Talk {
    fn begin(suppress_repeats: bool) -> anyhow::Result<Self> {
        let charter = TeamSpec {
            goal: Text::truncate("Find out how the harbour of Husum can take larger ships.")
                .context("a goal")?,
            pattern: Pattern::RoundRobin(RoundRobin { rounds: ROUNDS }),
            limits: TeamLimits { max_members: MEMBERS, ..TeamLimits::default() },
            home: Text::truncate("hub.example").context("a hub")?,
            lineage: None,
            needs: Vec::new(),
            suppress_repeats,
        };
        let now = Timestamp::from_millis(1_000_000);
        let (team, _) = Team::create(ChatId::new(now, &[1; 10]), charter, now)?;
        let mut talk = Self { team, now };
        let invitee = |number| {
            let address = format!("@ada/agent{number}@hub.example").parse()?;
            anyhow::Ok(Invitee { identity: MemberIdentity::Agent { address }, roles: Vec::new(), key: None })
        };
        let members = (0..MEMBERS).map(invitee).collect::<anyhow::Result<_>>()?;
        talk.propose(TeamActor::Home, TeamEvent::Invited { members })?;
        for seat in (0..MEMBERS).map(Seat) {
            talk.propose(TeamActor::Seat(seat), TeamEvent::Accepted)?;
        }
        Ok(talk)
    }

    fn propose(&mut self, by: TeamActor, event: TeamEvent) -> anyhow::Result<()> {
        self.now = self.now + Duration::from_secs(1);
        let proposal = Proposal { team: self.team.id(), by, event, proof: None };
        for entry in self.team.propose(&proposal, self.now)? {
            self.team.apply(&entry)?;
        }
        Ok(())
    }

    /// Returns what the member says now: a new point, its last point rephrased, or the answer if it is due.
    fn words(&self, seat: Seat) -> anyhow::Result<Utterance> {
        let decided = rule_based::decide(&self.team, seat).context("the speaker may say something")?;
        if matches!(decided, Utterance::Conclude { .. }) {
            return Ok(decided);
        }
        let member = self.team.member(seat).context("a member")?;
        let (spoken, number) = (member.counts.turns, u32::from(seat.0));
        // Each member has two points: one in its first turn, and one in its second or third.
        let second = 1 + (number + 1) % 2;
        let point = number * 10 + u32::from(spoken >= second);
        let before = if spoken == 0 || spoken == second { "" } else { "As I said: " };
        let words = format!(
            "{before}the survey of basin {point} shows that dredging it to {} metres lets ships of {} tonnes in, which \
             takes a permit of the district, a barge for the spoil, and about {} weeks outside of the breeding season.",
            6 + point % 9,
            4_000 + point * 100,
            8 + point % 17
        );
        Ok(Utterance::Discuss { text: LongText::truncate(&words).context("words")?, next: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_cost_two_fifths_less() {
        let (all, without) = (play(false).unwrap(), play(true).unwrap());
        assert_eq!(
            all.messages,
            u32::from(MEMBERS) * u32::from(ROUNDS) + 1,
            "all that was said, and the answer"
        );
        assert!(without.messages * 10 <= all.messages * 6, "{without:?} {all:?}");
        assert!(without.tokens * 10 <= all.tokens * 6, "{without:?} {all:?}");
    }
}
