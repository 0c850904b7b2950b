//! Selection rules: which agents a rule recruits for a goal, and whether a member forms a subteam for its
//! assignment.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use plexus_domain::{
    ChatId, Timestamp,
    team::{
        MemberIdentity,
        formation::{
            self, Candidate, CandidatePool, CoverSearch, LOOKED_AT, Skill, cover, joint_fit, required_skills,
        },
    },
};

use super::{
    embed::{Space, best},
    search_index::Indexed,
};

/// Maximum members of a team, for both rules.
const PLACES: usize = 4;
/// Hits per query in the original (IoA at ca5e3d5, `im_server`): the three most similar ones, without a
/// threshold.
const HITS: usize = 3;

/// Agents whose index scores are combined with the embedder's.
const KNOWN: usize = 1_000;
/// Weight of the embedder relative to the index.
const BESIDE: f32 = 0.3;

/// Score of each agent, by its number.
type Fits = Vec<f32>;
/// Best agents with their scores.
type Best = Vec<(usize, f32)>;

/// Finds agents for the parts of a goal.
#[derive(Clone, Copy)]
pub enum Finder<'a> {
    /// Our rule with the embedder in place of the index.
    Embedder(&'a Embedder<'a>),
    /// Our rule with the embedder and the index.
    Both(&'a Embedder<'a>),
    /// Our rule with the index, as in the product.
    Index(&'a Indexed),
}

impl Finder<'_> {
    fn fitting(self, parts: &[&str], also: Option<usize>) -> anyhow::Result<Vec<Best>> {
        let listed = |fits: &Fits| listed(fits, also);
        match self {
            Self::Index(index) => index.fitting(parts, LOOKED_AT, also),
            Self::Embedder(embedder) => Ok(embedder.fitting(parts)?.iter().map(listed).collect()),
            Self::Both(embedder) => {
                let known = embedder.index.fitting(parts, KNOWN, also)?;
                let each = embedder.fitting(parts)?.into_iter().zip(known);
                Ok(each.map(|(near, known)| listed(&together(near, &known))).collect())
            }
        }
    }
}

/// Returns the best agents, and `also` regardless of its rank.
fn listed(fits: &Fits, also: Option<usize>) -> Best {
    let mut found = best(fits, LOOKED_AT);
    let is_new = |agent: &usize| !found.iter().any(|(other, _)| other == agent);
    found.extend(also.filter(is_new).map(|agent| (agent, fits[agent])));
    found
}

/// Adds the embedder scores to the index scores, each normalised by its maximum.
fn together(mut near: Fits, known: &Best) -> Fits {
    let nearest = near.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    near.iter_mut().for_each(|fit| *fit *= BESIDE / nearest);
    let most = known.iter().map(|(_, fit)| *fit).fold(f32::MIN_POSITIVE, f32::max);
    known.iter().for_each(|(agent, fit)| near[*agent] += fit / most);
    near
}

/// Scores agents by embedding similarity, once for each significant word and its related terms.
pub struct Embedder<'a> {
    space: &'a Space,
    index: &'a Indexed,
    /// Cache by word: goals have few distinct words.
    known: RefCell<HashMap<String, Rc<Fits>>>,
}

impl<'a> Embedder<'a> {
    pub fn new(space: &'a Space, index: &'a Indexed) -> Self {
        Self { space, index, known: RefCell::default() }
    }

    fn fitting(&self, parts: &[&str]) -> anyhow::Result<Vec<Fits>> {
        let parts = parts.iter().map(|part| self.fit(part)).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(joint_fit(&parts))
    }

    fn fit(&self, part: &str) -> anyhow::Result<Fits> {
        let mut fits = Vec::new();
        for alike in self.index.alike(part)? {
            let word = self.word(&alike);
            fits.resize(word.len(), 0.0);
            fits.iter_mut().zip(word.iter()).for_each(|(fit, said)| *fit += said);
        }
        Ok(fits)
    }

    /// Returns the similarity of each agent to the most similar of these words.
    fn word(&self, alike: &[(String, f32)]) -> Rc<Fits> {
        let word = alike.first().map(|(word, _)| word.clone()).unwrap_or_default();
        if let Some(known) = self.known.borrow().get(&word) {
            return known.clone();
        }
        let mut nearest: Fits = self.space.nearness(&[]);
        for (other, share) in alike {
            let near = self.space.nearness(&[(&self.space.embed(other), *share)]);
            nearest.iter_mut().zip(near).for_each(|(nearest, near)| *nearest = nearest.max(near));
        }
        self.known.borrow_mut().entry(word).or_insert(Rc::new(nearest)).clone()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The original, with one query for each clause of the goal.
    Clauses,
    /// The original, with the whole goal as an additional first query.
    ClausesAndGoal,
    /// The original, with the whole goal appended to each clause.
    ClausesInGoal,
    /// Our rule.
    Ours,
}

impl Rule {
    pub const ORIGINAL: [Self; 3] = [Self::Clauses, Self::ClausesAndGoal, Self::ClausesInGoal];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Clauses => "original, a query for each clause",
            Self::ClausesAndGoal => "original, and one for the whole goal",
            Self::ClausesInGoal => "original, the goal behind each clause",
            Self::Ours => "ours",
        }
    }

    /// Returns the agents that the rule recruits.
    pub fn recruits(self, finder: Finder<'_>, space: &Space, goal: &str) -> anyhow::Result<Vec<usize>> {
        if self != Self::Ours {
            return Ok(in_turn(&self.hits(space, goal)));
        }
        let needs = required_skills(goal);
        let search = CoverSearch { needs: &needs, places: PLACES as u16, last_round: true, team: team() };
        let chosen = cover(search, &candidates(finder, &needs, None)?);
        Ok(chosen.iter().filter_map(|invitee| number(&invitee.identity)).collect())
    }

    /// Returns whether a member forms a subteam for its assignment. In the original a model decides. The
    /// substitute: it does unless every query finds the member.
    pub fn nests(self, finder: Finder<'_>, space: &Space, member: usize, work: &str) -> anyhow::Result<bool> {
        if self != Self::Ours {
            return Ok(!self.hits(space, work).iter().all(|hits| hits.contains(&member)));
        }
        let needs = required_skills(work);
        let search = CoverSearch { needs: &needs, places: PLACES as u16, last_round: false, team: team() };
        let candidates = candidates(finder, &needs, Some(member))?;
        Ok(formation::choose_execution(search, &identity(member)?, &candidates).is_some())
    }

    fn hits(self, space: &Space, goal: &str) -> Vec<Vec<usize>> {
        let clauses = required_skills(goal).into_iter().map(String::from);
        let queries: Vec<String> = match self {
            Self::ClausesAndGoal => [goal.to_owned()].into_iter().chain(clauses).collect(),
            Self::ClausesInGoal => clauses.map(|clause| format!("{clause} {goal}")).collect(),
            Self::Clauses | Self::Ours => clauses.collect(),
        };
        let nearest = |query: &String| best(&space.nearness(&[(&space.embed(query), 1.0)]), HITS);
        queries.iter().map(|query| nearest(query).into_iter().map(|(agent, _)| agent).collect()).collect()
    }
}

/// Substitute for the model of the original, which picks among the hits: the first hit of each query, then
/// the second of each, until all places are filled.
fn in_turn(hits: &[Vec<usize>]) -> Vec<usize> {
    let mut recruited = Vec::new();
    for agent in (0..HITS).flat_map(|place| hits.iter().filter_map(move |hits| hits.get(place))) {
        if recruited.len() < PLACES && !recruited.contains(agent) {
            recruited.push(*agent);
        }
    }
    recruited
}

fn candidates(finder: Finder<'_>, needs: &[Skill], also: Option<usize>) -> anyhow::Result<Vec<Candidate>> {
    let mut pool = CandidatePool::default();
    let parts: Vec<&str> = needs.iter().map(Skill::as_str).collect();
    for (need, found) in needs.iter().zip(finder.fitting(&parts, also)?) {
        let known = found.into_iter().map(|(agent, score)| Ok((identity(agent)?, score)));
        pool.add(need, known.collect::<anyhow::Result<Vec<_>>>()?);
    }
    Ok(pool.into_candidates())
}

fn identity(agent: usize) -> anyhow::Result<MemberIdentity> {
    Ok(MemberIdentity::Agent { address: format!("@generated/a{agent}").parse()? })
}

fn number(identity: &MemberIdentity) -> Option<usize> {
    identity.key().strip_prefix("@generated/a")?.parse().ok()
}

fn team() -> ChatId {
    ChatId::new(Timestamp::from_millis(1), &[7; 10])
}
