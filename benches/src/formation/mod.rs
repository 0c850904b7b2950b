//! Choosing members: the rule of the original (OpenBMB's Internet of Agents, arXiv 2407.07061) and ours on the same
//! goals and agents, which are generated with labels, since theirs were not published.
//!
//! The original leaves much to a model, in whose place stands what favours it: every place of the team is taken. Both
//! rules see agents through the same embedder; the last row is ours with the index of the product.

mod embed;
mod indexed;
mod measure;
mod rules;
mod world;

use embed::Space;
use indexed::Indexed;
use measure::{Result, Scores, difference, measure};
use rules::{Finder, Rule};
use world::{Family, World};

use crate::print;

const GOALS: usize = 625;
const SIZES: [usize; 3] = [1_500, 15_000, 150_000];

pub fn run() -> anyhow::Result<()> {
    let family = match std::env::var("PLEXUS_BENCH_TUNING") {
        Ok(_) => Family::Tuning,
        Err(_) => Family::Report,
    };
    for size in SIZES {
        one(family, size)?;
    }
    Ok(())
}

fn one(family: Family, size: usize) -> anyhow::Result<()> {
    let world = World::new(family, size, GOALS);
    let space = space(&world);
    let finder = Finder::Embedded(&space);
    print(&format!("\nChoosing members: {GOALS} goals, {size} agents, words of the family {family:?}"));
    print(
        "| rule | Top@1 % | Top@10 % | mean rank | MRR | right of those chosen % | team | nests rightly % |",
    );
    print("|---|---|---|---|---|---|---|---|");
    let mut all = Vec::new();
    for rule in Rule::ALL {
        let results = measure(rule, &finder, &space, &world)?;
        row(rule.name(), &Scores::of(&results.iter().collect::<Vec<_>>()));
        all.push((rule, results));
    }
    let index = Indexed::new(&world.profiles)?;
    let indexed = measure(Rule::Ours, &Finder::Indexed(&index), &space, &world)?;
    row("ours, with the index of the product", &Scores::of(&indexed.iter().collect::<Vec<_>>()));
    let Some((_, ours)) = all.pop() else { return Ok(()) };
    print("\n| ours less | Top@1, points | MRR | nests rightly, points |");
    print("|---|---|---|---|");
    for (rule, theirs) in &all {
        compare(rule.name(), &ours, theirs);
    }
    split(&world, &ours, &all);
    Ok(())
}

fn space(world: &World) -> Space {
    let texts: Vec<String> =
        world.profiles.iter().map(|profile| format!("{}. {}", profile.name, profile.text)).collect();
    Space::new(&texts)
}

fn row(name: &str, scores: &Scores) {
    let Scores { top_1, top_10, mean_rank, mrr, precision, team, nesting } = scores;
    print(&format!(
        "| {name} | {:.1} | {:.1} | {mean_rank:.0} | {mrr:.3} | {:.1} | {team:.2} | {:.1} |",
        top_1 * 100.0,
        top_10 * 100.0,
        precision * 100.0,
        nesting * 100.0
    ));
}

fn compare(name: &str, ours: &[Result], theirs: &[Result]) {
    let shown = |of: fn(&Scores) -> f64, scale: f64, digits: usize| {
        let found = difference(ours, theirs, of);
        let [by, low, high] = [found.by, found.low, found.high].map(|value| value * scale);
        format!("{by:+.digits$} ({low:+.digits$} to {high:+.digits$})")
    };
    let top_1 = shown(|scores| scores.top_1, 100.0, 1);
    let mrr = shown(|scores| scores.mrr, 1.0, 3);
    let nesting = shown(|scores| scores.nesting, 100.0, 1);
    print(&format!("| {name} | {top_1} | {mrr} | {nesting} |"));
}

/// Top@1 by whether a goal says once for whom all of it is.
fn split(world: &World, ours: &[Result], others: &[(Rule, Vec<Result>)]) {
    let top_1 = |results: &[Result], one_sector: bool| {
        let paired = world.goals.iter().zip(results).filter(|(goal, _)| goal.one_sector == one_sector);
        let results: Vec<&Result> = paired.map(|(_, result)| result).collect();
        Scores::of(&results).top_1 * 100.0
    };
    print("\n| Top@1 % | for whom is said once | with each clause |");
    print("|---|---|---|");
    for (name, results) in
        others.iter().map(|(rule, results)| (rule.name(), results.as_slice())).chain([("ours", ours)])
    {
        print(&format!("| {name} | {:.1} | {:.1} |", top_1(results, true), top_1(results, false)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_chooses_better_where_wording_is_new() {
        let world = World::new(Family::Report, 1_500, 300);
        let space = space(&world);
        let finder = Finder::Embedded(&space);
        let ours = measure(Rule::Ours, &finder, &space, &world).unwrap();
        let theirs = measure(Rule::Clauses, &finder, &space, &world).unwrap();
        let better = difference(&ours, &theirs, |scores| scores.top_1);
        assert!(better.low > 0.0, "{better:?}");
        let better = difference(&ours, &theirs, |scores| scores.mrr);
        assert!(better.low > 0.0, "{better:?}");
    }
}
