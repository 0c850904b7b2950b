//! The two rules: whom each recruits for a goal, and whether it has a member form a team for a piece of work.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use plexus_domain::{
    ChatId, Timestamp,
    team::{
        Identity,
        formation::{self, Candidate, LOOKED_AT, Pool, Search, Skill, cover, in_context, needs},
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

/// Of so many agents the index is asked how well they fit where it is not asked alone.
const KNOWN: usize = 1_000;
/// What the embedder says counts so much beside the index.
const BESIDE: f32 = 0.3;

/// How well each agent fits, by its number.
type Fits = Vec<f32>;
/// Those who fit best, each with how well.
type Best = Vec<(usize, f32)>;

/// Finds agents for the parts of a goal.
#[derive(Clone, Copy)]
pub enum Finder<'a> {
    /// Our rule with the embedder of the original in the place of the index.
    Embedder(&'a Embedder<'a>),
    /// With that embedder beside the index.
    Both(&'a Embedder<'a>),
    /// As the product has it.
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

/// Those who fit best, and `also`, wherever it stands.
fn listed(fits: &Fits, also: Option<usize>) -> Best {
    let mut found = best(fits, LOOKED_AT);
    let is_new = |agent: &usize| !found.iter().any(|(other, _)| other == agent);
    found.extend(also.filter(is_new).map(|agent| (agent, fits[agent])));
    found
}

/// What the embedder says added to what the index says, each as a part of the best that it says of anybody.
fn together(mut near: Fits, known: &Best) -> Fits {
    let nearest = near.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    near.iter_mut().for_each(|fit| *fit *= BESIDE / nearest);
    let most = known.iter().map(|(_, fit)| *fit).fold(f32::MIN_POSITIVE, f32::max);
    known.iter().for_each(|(agent, fit)| near[*agent] += fit / most);
    near
}

/// Asked once for each word that counts, and for what the index says may stand for it.
pub struct Embedder<'a> {
    space: &'a Space,
    index: &'a Indexed,
    /// Goals have few different words.
    known: RefCell<HashMap<String, Rc<Fits>>>,
}

impl<'a> Embedder<'a> {
    pub fn new(space: &'a Space, index: &'a Indexed) -> Self {
        Self { space, index, known: RefCell::default() }
    }

    fn fitting(&self, parts: &[&str]) -> anyhow::Result<Vec<Fits>> {
        let parts = parts.iter().map(|part| self.fit(part)).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(in_context(&parts))
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

    /// How near each agent is to the one of these words that it is nearest to.
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
    pub const ORIGINAL: [Self; 3] = [Self::Clauses, Self::ClausesAndGoal, Self::ClausesInGoal];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Clauses => "original, a query for each clause",
            Self::ClausesAndGoal => "original, and one for the whole goal",
            Self::ClausesInGoal => "original, the goal behind each clause",
            Self::Ours => "ours",
        }
    }

    /// Whom it recruits.
    pub fn recruits(self, finder: Finder<'_>, space: &Space, goal: &str) -> anyhow::Result<Vec<usize>> {
        if self != Self::Ours {
            return Ok(in_turn(&self.hits(space, goal)));
        }
        let needs = needs(goal);
        let search = Search { needs: &needs, places: PLACES as u16, last_round: true, team: team() };
        let chosen = cover(search, &candidates(finder, &needs, None)?);
        Ok(chosen.iter().filter_map(|invitee| number(&invitee.identity)).collect())
    }

    /// Whether a member forms a team for its piece of work. In the original a model says so; in its place stands that
    /// the member is not among those whom each query finds.
    pub fn nests(self, finder: Finder<'_>, space: &Space, member: usize, work: &str) -> anyhow::Result<bool> {
        if self != Self::Ours {
            return Ok(!self.hits(space, work).iter().all(|hits| hits.contains(&member)));
        }
        let needs = needs(work);
        let search = Search { needs: &needs, places: PLACES as u16, last_round: false, team: team() };
        let candidates = candidates(finder, &needs, Some(member))?;
        Ok(formation::alone_or_helped(search, &identity(member)?, &candidates).is_some())
    }

    fn hits(self, space: &Space, goal: &str) -> Vec<Vec<usize>> {
        let clauses = needs(goal).into_iter().map(String::from);
        let queries: Vec<String> = match self {
            Self::ClausesAndGoal => [goal.to_owned()].into_iter().chain(clauses).collect(),
            Self::ClausesInGoal => clauses.map(|clause| format!("{clause} {goal}")).collect(),
            Self::Clauses | Self::Ours => clauses.collect(),
        };
        let nearest = |query: &String| best(&space.nearness(&[(&space.embed(query), 1.0)]), HITS);
        queries.iter().map(|query| nearest(query).into_iter().map(|(agent, _)| agent).collect()).collect()
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

fn candidates(finder: Finder<'_>, needs: &[Skill], also: Option<usize>) -> anyhow::Result<Vec<Candidate>> {
    let mut pool = Pool::default();
    let parts: Vec<&str> = needs.iter().map(Skill::as_str).collect();
    for (need, found) in needs.iter().zip(finder.fitting(&parts, also)?) {
        let known = found.into_iter().map(|(agent, score)| Ok((identity(agent)?, score)));
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
