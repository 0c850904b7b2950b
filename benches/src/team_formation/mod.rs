//! Member selection benchmark: the rule of OpenBMB's Internet of Agents (arXiv 2407.07061, "the original")
//! and ours. Goals and agents are generated with labels, because those of the paper were not published.
//!
//! The original leaves many decisions to a model. A substitute that favours the original takes its place:
//! every place of the team is filled. Both rules use the same embedder, ours in place of the product's index
//! and beside it. The last row is the product, with the index alone.

mod embed;
mod scoring;
mod search_index;
mod selection_rules;
mod synthetic_data;

use std::time::Instant;

use embed::Space;
use scoring::{Result, Scores, difference, measure};
use search_index::Indexed;
use selection_rules::{Embedder, Finder, Rule};
use synthetic_data::{Family, Profile, Said, World};

use crate::{
    print,
    stats::{percentile, sorted},
};

const GOALS: usize = 625;
const SIZES: [usize; 3] = [1_500, 15_000, 150_000];

/// Runs the benchmark. PLEXUS_BENCH_AGENTS selects one size. PLEXUS_BENCH_TUNING selects goals with the
/// vocabulary on which rules are tuned.
pub fn run() -> anyhow::Result<()> {
    let family = match std::env::var("PLEXUS_BENCH_TUNING") {
        Ok(_) => Family::Tuning,
        Err(_) => Family::Report,
    };
    let sizes = match std::env::var("PLEXUS_BENCH_AGENTS") {
        Ok(size) => vec![size.parse()?],
        Err(_) => SIZES.to_vec(),
    };
    for size in &sizes {
        one(family, Said::Card, *size)?;
    }
    one(family, Said::Sentence, sizes[0])
}

fn one(family: Family, said: Said, size: usize) -> anyhow::Result<()> {
    let world = World::new(family, said, size, GOALS);
    let (space, index) = (space(&world), Indexed::new(&world.profiles)?);
    let embedder = Embedder::new(&space, &index);
    let (alone, both, indexed) =
        (Finder::Embedder(&embedder), Finder::Both(&embedder), Finder::Index(&index));
    print(&format!(
        "\nChoosing members: {GOALS} goals in words of the family {family:?}, {size} agents, each says a {said:?}"
    ));
    print(
        "| rule | Top@1 % | Top@10 % | mean rank | MRR | right of those chosen % | team | nests rightly % |",
    );
    print("|---|---|---|---|---|---|---|---|");
    let measured = |name: &'static str, rule: Rule, finder: Finder<'_>| {
        let results = measure(rule, finder, &space, &world)?;
        row(name, &Scores::of(&results.iter().collect::<Vec<_>>()));
        anyhow::Ok((name, results))
    };
    let theirs = Rule::ORIGINAL.map(|rule| measured(rule.name(), rule, alone));
    let theirs = theirs.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let ours = [
        measured("ours, the embedder for the index", Rule::Ours, alone)?,
        measured("ours, the embedder beside the index", Rule::Ours, both)?,
        measured("ours, the index as in the product", Rule::Ours, indexed)?,
    ];
    for (name, ours) in &ours {
        print(&format!("\n| {name}, less (95 % of draws) | Top@1, points | MRR | nests rightly, points |"));
        print("|---|---|---|---|");
        theirs.iter().for_each(|(name, theirs)| compare(name, ours, theirs));
    }
    pace(&world, &space, indexed)
}

/// Prints the latency of a selection with the product's index.
fn pace(world: &World, space: &Space, indexed: Finder<'_>) -> anyhow::Result<()> {
    let took = world.goals.iter().map(|goal| {
        let start = Instant::now();
        Rule::Ours.recruits(indexed, space, &goal.text)?;
        anyhow::Ok(start.elapsed().as_secs_f64() * 1_000.0)
    });
    let took = sorted(took.collect::<anyhow::Result<Vec<_>>>()?);
    let [p50, p99] = [50.0, 99.0].map(|part| percentile(&took, part));
    print(&format!("A choice with the index of the product: {p50:.1} ms, p99 {p99:.1} ms"));
    Ok(())
}

fn space(world: &World) -> Space {
    Space::new(&world.profiles.iter().map(Profile::text).collect::<Vec<_>>())
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

#[cfg(test)]
mod tests {
    use super::*;

    // Slow: it indexes 1,500 agents and chooses members for hundreds of goals.
    #[test]
    fn ours_chooses_better_where_wording_is_new() {
        let world = World::new(Family::Report, Said::Card, 1_500, 80);
        let (space, index) = (space(&world), Indexed::new(&world.profiles).unwrap());
        let embedder = Embedder::new(&space, &index);
        let alone = Finder::Embedder(&embedder);
        let theirs = measure(Rule::ClausesInGoal, alone, &space, &world).unwrap();
        for finder in [alone, Finder::Both(&embedder), Finder::Index(&index)] {
            let ours = measure(Rule::Ours, finder, &space, &world).unwrap();
            for of in [|scores: &Scores| scores.top_1, |scores: &Scores| scores.mrr] {
                let better = difference(&ours, &theirs, of);
                assert!(better.low > 0.0, "{better:?}");
            }
        }
    }
}
