//! The two rules: whom each recruits for a goal, and whether it has a member form a team for a piece of work.

use plexus_domain::{
    ChatId, Timestamp,
    team::{
        Identity,
        formation::{self, CONTEXT_WEIGHT, Candidate, LOOKED_AT, Pool, Search, Skill, cover, needs},
    },
};

use super::{
    embed::{Space, best},
    indexed::Indexed,
};

/// Members of a team at most, with both rules.
const PLACES: usize = 4;
/// What the original looks at for each query, IoA at ca5e3d5, `im_server`: the nearest three, however near.
const HITS: usize = 3;

/// Finds agents by words.
pub enum Finder<'a> {
    Embedded(&'a Space),
    Indexed(&'a Indexed),
}

impl Finder<'_> {
    /// The best for `need`, where the `others` count a little.
    fn find(&self, need: &str, others: &[&str], most: usize) -> anyhow::Result<Vec<(usize, f32)>> {
        match self {
            Self::Indexed(index) => index.find(need, &others.join(" "), most),
            Self::Embedded(space) => {
                let need = space.embed(need);
                let others: Vec<_> = others.iter().map(|other| space.embed(other)).collect();
                let others = others.iter().map(|other| (other, CONTEXT_WEIGHT));
                let asked: Vec<_> = [(&need, 1.0)].into_iter().chain(others).collect();
                Ok(best(&space.nearness(&asked), most))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The original's with the clauses of the goal as its queries.
    Clauses,
    /// With the whole goal as one more query, before them.
    ClausesAndGoal,
    /// With the whole goal behind each clause.
    ClausesInGoal,
    /// Ours.
    Ours,
}

impl Rule {
    pub const ALL: [Self; 4] = [Self::Clauses, Self::ClausesAndGoal, Self::ClausesInGoal, Self::Ours];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Clauses => "original, a query for each clause",
            Self::ClausesAndGoal => "original, and one for the whole goal",
            Self::ClausesInGoal => "original, the goal behind each clause",
            Self::Ours => "ours",
        }
    }

    /// Whom it recruits.
    pub fn recruits(self, finder: &Finder<'_>, goal: &str) -> anyhow::Result<Vec<usize>> {
        if self != Self::Ours {
            return Ok(in_turn(&self.hits(finder, goal)?));
        }
        let needs = needs(goal);
        let search = Search { needs: &needs, places: PLACES as u16, last_round: true, team: team() };
        let chosen = cover(search, &candidates(finder, goal)?);
        Ok(chosen.iter().filter_map(|invitee| number(&invitee.identity)).collect())
    }

    /// Whether a member forms a team for its piece of work. In the original a model says so; in its place stands that
    /// the member is not among those whom each query finds.
    pub fn nests(self, finder: &Finder<'_>, member: usize, work: &str) -> anyhow::Result<bool> {
        if self != Self::Ours {
            return Ok(!self.hits(finder, work)?.iter().all(|hits| hits.contains(&member)));
        }
        let needs = needs(work);
        let search = Search { needs: &needs, places: PLACES as u16, last_round: false, team: team() };
        Ok(formation::alone_or_helped(search, &identity(member)?, &candidates(finder, work)?).is_some())
    }

    fn hits(self, finder: &Finder<'_>, goal: &str) -> anyhow::Result<Vec<Vec<usize>>> {
        let clauses = needs(goal).into_iter().map(String::from);
        let queries: Vec<String> = match self {
            Self::ClausesAndGoal => [goal.to_owned()].into_iter().chain(clauses).collect(),
            Self::ClausesInGoal => clauses.map(|clause| format!("{clause} {goal}")).collect(),
            Self::Clauses | Self::Ours => clauses.collect(),
        };
        let found = queries.iter().map(|query| finder.find(query, &[], HITS));
        found.map(|found| Ok(found?.into_iter().map(|(agent, _)| agent).collect())).collect()
    }
}

/// In the original a model picks among the hits. In its place: the first of each query, then the second of each, until
/// all places are taken.
fn in_turn(hits: &[Vec<usize>]) -> Vec<usize> {
    let mut recruited = Vec::new();
    for agent in (0..HITS).flat_map(|place| hits.iter().filter_map(move |hits| hits.get(place))) {
        if recruited.len() < PLACES && !recruited.contains(agent) {
            recruited.push(*agent);
        }
    }
    recruited
}

fn candidates(finder: &Finder<'_>, goal: &str) -> anyhow::Result<Vec<Candidate>> {
    let mut pool = Pool::default();
    let needs = needs(goal);
    for need in &needs {
        let others: Vec<&str> = needs.iter().filter(|other| *other != need).map(Skill::as_str).collect();
        let found = finder.find(need.as_str(), &others, LOOKED_AT.into())?.into_iter();
        let known = found.map(|(agent, score)| Ok((identity(agent)?, score)));
        pool.add(need, known.collect::<anyhow::Result<Vec<_>>>()?);
    }
    Ok(pool.into_candidates())
}

fn identity(agent: usize) -> anyhow::Result<Identity> {
    Ok(Identity::Agent { address: format!("@generated/a{agent}").parse()? })
}

fn number(identity: &Identity) -> Option<usize> {
    identity.key().strip_prefix("@generated/a")?.parse().ok()
}

fn team() -> ChatId {
    ChatId::new(Timestamp::from_millis(1), &[7; 10])
}
