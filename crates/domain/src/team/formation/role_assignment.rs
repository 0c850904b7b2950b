//! Roles of members that were named, instead of being found for a skill.

use std::collections::BTreeSet;

use super::{
    GoalPart, Skill,
    work_kinds::{WorkKind, work_kind},
};

/// Score of a member that gets its first part, relative to a rare word that it shares with a part: members were named
/// to be used.
const USED: f64 = 1.0;
/// Score of the member that also has the part before, so that equal scores do not divide work.
const SAME_MEMBER: f64 = 0.05;
/// Share of the score of a word for another word of the same kind of work.
const SAME_KIND: f64 = 0.6;
/// Number of letters that two forms of a word share, and number of letters by which they differ at most.
const MIN_STEM: usize = 4;
const ENDING: usize = 3;

/// Distributes the parts of a goal over the named members by what their descriptions say.
///
/// `profiles` holds the description of each member: title, summary, skills and tags. The result has the roles of each
/// member, in the same order, and all parts in the order of work. A part that no description mentions goes to a member
/// without a part. A subject that no description mentions is left out. Members without any part get one of their own,
/// which is the kind of work that they do.
pub fn assign_roles(parts: &[GoalPart], profiles: &[String]) -> (Vec<Vec<Skill>>, Vec<Skill>) {
    let words: Vec<BTreeSet<String>> = profiles.iter().map(|profile| words(profile)).collect();
    let scores: Vec<Vec<f64>> = parts.iter().map(|part| scores(part.skill.as_str(), &words)).collect();
    let is_known =
        |(part, scores): &(&GoalPart, &Vec<f64>)| !part.is_subject || scores.iter().any(|score| *score > 0.0);
    let (parts, scores): (Vec<&GoalPart>, Vec<&Vec<f64>>) =
        parts.iter().zip(&scores).filter(is_known).unzip();
    let seats = best_assignment(&scores, profiles.len());
    let mut roles = vec![Vec::new(); profiles.len()];
    let mut order: Vec<(Option<WorkKind>, Skill)> = Vec::new();
    for (part, seat) in parts.iter().zip(&seats) {
        roles[*seat].push(part.skill.clone());
        order.push((kind_of(part.skill.as_str().split(' ')), part.skill.clone()));
    }
    for (seat, words) in words.iter().enumerate() {
        if roles[seat].is_empty()
            && let Some((kind, role)) = own_role(words, &order)
        {
            let later = order.iter().position(|(other, _)| *other > kind && other.is_some());
            order.insert(later.unwrap_or(order.len()), (kind, role.clone()));
            roles[seat].push(role);
        }
    }
    (roles, order.into_iter().map(|(_, skill)| skill).collect())
}

/// Returns the part of a member that no part of the goal asks for: the first word of its description that names a
/// kind of work.
fn own_role(
    words: &BTreeSet<String>,
    taken: &[(Option<WorkKind>, Skill)],
) -> Option<(Option<WorkKind>, Skill)> {
    let free = |word: &&String| !taken.iter().any(|(_, skill)| skill.as_str() == word.as_str());
    let (word, kind) = words.iter().filter(free).find_map(|word| Some((word, work_kind(word)?)))?;
    Some((Some(kind), Skill::truncate(word)?))
}

fn kind_of<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<WorkKind> {
    words.find_map(work_kind)
}

/// Returns the score of each member for a part. Words that fewer members have weigh more.
fn scores(part: &str, members: &[BTreeSet<String>]) -> Vec<f64> {
    let mut scores = vec![0.0; members.len()];
    for word in part.split(' ') {
        let shares: Vec<f64> = members.iter().map(|words| share(word, words)).collect();
        let found = shares.iter().filter(|share| **share > 0.0).count();
        if found > 0 {
            let weight = (1.0 + members.len() as f64 / found as f64).ln();
            scores.iter_mut().zip(shares).for_each(|(score, share)| *score += weight * share);
        }
    }
    scores
}

/// Returns how well a description has a word: 1 for a form of it, less for another word of its kind.
fn share(word: &str, described: &BTreeSet<String>) -> f64 {
    if described.iter().any(|other| is_form(word, other)) {
        return 1.0;
    }
    let kind = work_kind(word);
    let same = kind.is_some() && described.iter().any(|other| work_kind(other) == kind);
    if same { SAME_KIND } else { 0.0 }
}

/// Returns whether two words are forms of one: they begin alike and differ at the end only.
fn is_form(one: &str, other: &str) -> bool {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    one == other || (same >= MIN_STEM && longest - same <= ENDING)
}

fn words(text: &str) -> BTreeSet<String> {
    let words =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().any(char::is_alphabetic));
    words.map(str::to_lowercase).collect()
}

/// Returns the member of each part, so that the sum of the scores and of [`USED`] per used member is highest.
///
/// Exact: the states are the sets of members that are used so far, and there are few of them, since a goal has at most
/// eight parts. With many members, only the best of each part and the first ones are considered.
fn best_assignment(scores: &[&Vec<f64>], members: usize) -> Vec<usize> {
    let mut best: Vec<(f64, BTreeSet<usize>, Vec<usize>)> = vec![(0.0, BTreeSet::new(), Vec::new())];
    for of_part in scores {
        let mut next: Vec<(f64, BTreeSet<usize>, Vec<usize>)> = Vec::new();
        for (sum, used, seats) in &best {
            for seat in considered(of_part, members, used) {
                let bonus = if used.contains(&seat) { 0.0 } else { USED };
                let bonus = bonus + if seats.last() == Some(&seat) { SAME_MEMBER } else { 0.0 };
                let mut used = used.clone();
                used.insert(seat);
                let seats = [seats.as_slice(), &[seat]].concat();
                next.push((sum + of_part[seat] + bonus, used, seats));
            }
        }
        // The stable sort prefers the members that were named first.
        next.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut seen = BTreeSet::new();
        next.retain(|(_, used, _)| seen.insert(used.clone()));
        next.truncate(MAX_STATES);
        best = next;
    }
    best.into_iter().next().map(|(_, _, seats)| seats).unwrap_or_default()
}

/// Sets of used members that are followed.
const MAX_STATES: usize = 256;
/// Members per part that are considered: the best ones, and as many unused ones.
const MAX_CONSIDERED: usize = 8;

fn considered(scores: &[f64], members: usize, used: &BTreeSet<usize>) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..members).collect();
    ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let unused = ranked.iter().filter(|seat| !used.contains(seat)).take(MAX_CONSIDERED);
    let mut chosen: Vec<usize> = ranked.iter().take(MAX_CONSIDERED).chain(unused).copied().collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::{super::goal_parts, *};

    const FIGURES: &str = "Finance data. Annual revenue of companies as a table. finance, revenue, data";
    const CHARTS: &str = "Chart maker. Draws a line chart from a table of numbers. charts";
    const WRITER: &str =
        "Report writer. Writes a report from figures and files that it gets. reports, writing";

    fn assigned(goal: &str, profiles: &[&str]) -> Vec<(usize, String)> {
        let profiles: Vec<String> = profiles.iter().map(|&profile| profile.to_owned()).collect();
        let (roles, order) = assign_roles(&goal_parts(goal), &profiles);
        let seat = |skill: &Skill| roles.iter().position(|roles| roles.contains(skill)).unwrap();
        order.iter().map(|skill| (seat(skill), skill.to_string())).collect()
    }

    #[test]
    fn each_part_goes_to_the_member_that_is_made_for_it() {
        for goal in [
            "I want to know the annual revenue of Microsoft from 2014 to 2020. Please generate a figure in text format \
             showing the trend of the annual revenue, and give me an analysis report.",
            "Fetch Microsoft's annual revenue from 2014 to 2020, plot it, and write a report.",
            "Write a report with a chart of Microsoft's annual revenue from 2014 to 2020.",
            "Analyze Microsoft's revenue trends from 2014 to 2020",
            "What was Microsoft's revenue from 2014 to 2020? Visualize it, then summarize.",
        ] {
            for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                let profiles: Vec<&str> = order.iter().map(|&at| [FIGURES, CHARTS, WRITER][at]).collect();
                let seats: Vec<usize> =
                    assigned(goal, &profiles).into_iter().map(|(seat, _)| order[seat]).collect();
                assert_eq!(seats, [0, 1, 2], "{goal}");
            }
        }
    }

    #[test]
    fn a_part_that_no_description_mentions_goes_to_the_member_that_is_left() {
        let goal = "Count the boats and polish the brass";
        assert_eq!(
            assigned(goal, &["Shines metal.", "Counts boats."]),
            [(1, "count boats".into()), (0, "polish brass".into())]
        );
        assert_eq!(assigned(goal, &["Counts boats."]).len(), 2, "one member does all");
        assert_eq!(assigned("Sing", &["Counts boats.", "Sings."]), [(1, "sing".into())]);
    }
}
