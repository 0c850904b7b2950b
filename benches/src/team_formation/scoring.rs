//! Scores of a rule over all goals, and confidence intervals for the difference between two rules.

use super::{
    embed::Space,
    selection_rules::{Finder, Rule},
    synthetic_data::{Errand, Goal, World},
};
use crate::{
    listings::Words as Dice,
    stats::{percentile, sorted},
};

/// Bootstrap resamples, each with as many goals as there are, drawn with replacement.
const DRAWS: usize = 2_000;

/// Result for one goal.
pub struct Result {
    /// Rank of each wanted agent: how many agents are at least as similar to it as the most similar recruited
    /// one. It is 1 if the wanted agent itself was recruited.
    pub ranks: Vec<usize>,
    pub recruited: usize,
    /// Number of recruited agents that are wanted.
    pub wanted: usize,
    /// Whether the rule decided correctly between working alone and forming a subteam.
    pub nested_rightly: bool,
}

/// Returns the result of each goal. `space` defines the similarity of agents.
pub fn measure(rule: Rule, finder: Finder<'_>, space: &Space, world: &World) -> anyhow::Result<Vec<Result>> {
    world.goals.iter().map(|goal| one(rule, finder, space, world, goal)).collect()
}

fn one(rule: Rule, finder: Finder<'_>, space: &Space, world: &World, goal: &Goal) -> anyhow::Result<Result> {
    let recruited = rule.recruits(finder, space, &goal.text)?;
    let Errand { member, text, alone } = &goal.errand;
    Ok(Result {
        ranks: goal.labels.iter().map(|&label| rank(space, world, label, &recruited)).collect(),
        recruited: recruited.len(),
        wanted: recruited.iter().filter(|agent| goal.labels.contains(agent)).count(),
        nested_rightly: rule.nests(finder, space, *member, text)? != *alone,
    })
}

fn rank(space: &Space, world: &World, label: usize, recruited: &[usize]) -> usize {
    if recruited.contains(&label) {
        return 1;
    }
    let near = space.nearness(&[(&space.embed(&world.profiles[label].text()), 1.0)]);
    let best = recruited.iter().map(|&agent| near[agent]).fold(0.0, f32::max);
    // The wanted agent counts too: it is more similar to itself than any other agent.
    near.iter().enumerate().filter(|(agent, other)| *agent == label || **other > best).count() + 1
}

/// Metrics of the paper (arXiv 2407.07061, section 4.1), and metrics that it omits.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    pub top_1: f64,
    pub top_10: f64,
    pub mean_rank: f64,
    pub mrr: f64,
    pub precision: f64,
    pub team: f64,
    pub nesting: f64,
}

impl Scores {
    pub fn of(results: &[&Result]) -> Self {
        let ranks = || results.iter().flat_map(|result| &result.ranks);
        let each = |value: fn(&Result) -> f64| mean(results.iter().map(|result| value(result)));
        Self {
            top_1: mean(ranks().map(|&rank| f64::from(rank == 1))),
            top_10: mean(ranks().map(|&rank| f64::from(rank <= 10))),
            mean_rank: mean(ranks().map(|&rank| rank as f64)),
            mrr: mean(ranks().map(|&rank| 1.0 / rank as f64)),
            precision: each(|result| result.wanted as f64) / each(|result| result.recruited as f64),
            team: each(|result| result.recruited as f64),
            nesting: each(|result| f64::from(result.nested_rightly)),
        }
    }
}

/// Difference with its 95 % confidence interval.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    pub by: f64,
    pub low: f64,
    pub high: f64,
}

/// Returns the advantage of `ours` over `theirs`, paired by goal.
pub fn difference(ours: &[Result], theirs: &[Result], of: fn(&Scores) -> f64) -> Difference {
    let by = |at: &[usize]| {
        let drawn =
            |results: &[Result]| of(&Scores::of(&at.iter().map(|&n| &results[n]).collect::<Vec<_>>()));
        drawn(ours) - drawn(theirs)
    };
    let mut dice = Dice::new(1);
    let goals = ours.len();
    let draws = (0..DRAWS).map(|_| {
        let drawn: Vec<usize> = (0..goals).map(|_| dice.below(goals as u64) as usize).collect();
        by(&drawn)
    });
    let draws = sorted(draws);
    let all: Vec<usize> = (0..goals).collect();
    Difference { by: by(&all), low: percentile(&draws, 2.5), high: percentile(&draws, 97.5) }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}
