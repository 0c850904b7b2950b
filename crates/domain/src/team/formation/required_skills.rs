use std::collections::BTreeSet;

use super::Skill;

/// Maximum number of characters of a goal that are read.
const MAX_CHARS: usize = 2_000;
const MAX_NEEDS: usize = 8;

/// Stop words: they do not describe a skill. Sorted.
const FILLERS: [&str; 38] = [
    "a", "all", "an", "at", "be", "by", "can", "could", "for", "from", "he", "i", "in", "is", "it", "its",
    "me", "my", "of", "on", "or", "our", "please", "should", "so", "that", "the", "them", "they", "this",
    "to", "us", "want", "we", "will", "with", "would", "you",
];
/// Words that separate two clauses.
const BREAKS: [&str; 5] = ["also", "and", "finally", "next", "then"];
/// Phrases that ask for concurrent work on all clauses.
const CONCURRENT: [&str; 7] = [
    "at the same time",
    "concurrently",
    "in any order",
    "in parallel",
    "independent of each other",
    "independently",
    "simultaneously",
];

/// Extracts the required skills of a goal by rules: its clauses without stop words.
pub fn required_skills(goal: &str) -> Vec<Skill> {
    let mut text = read(goal);
    if is_concurrent(&text) {
        text = CONCURRENT.iter().fold(text, |text, phrase| text.replace(phrase, " "));
    }
    let mut seen = BTreeSet::new();
    let telling = |clause: Vec<&str>| {
        Skill::truncate(&clause.into_iter().filter(|word| tells(word)).collect::<Vec<_>>().join(" "))
    };
    clauses(&text).filter_map(telling).filter(|need| seen.insert(need.clone())).take(MAX_NEEDS).collect()
}

/// Returns true if the clauses of a goal are worked on in order, each with the results of those before.
///
/// That is the default: a wrong order costs time, whereas a step without the results it builds on yields
/// nothing of use. Only a goal that asks for concurrent work is an exception.
pub fn is_sequential(goal: &str) -> bool {
    let text = read(goal);
    let mut later = clauses(&text).filter(|clause| clause.iter().any(|word| !word.is_empty())).skip(1);
    !is_concurrent(&text) && later.next().is_some()
}

fn is_concurrent(text: &str) -> bool {
    let words = words(text).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    CONCURRENT.iter().any(|phrase| format!(" {words} ").contains(&format!(" {phrase} ")))
}

fn read(goal: &str) -> String {
    goal.chars().take(MAX_CHARS).collect::<String>().to_lowercase()
}

fn clauses(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.split([',', ';', ':', '.', '!', '?', '\n']).flat_map(|sentence| {
        let words: Vec<&str> = words(sentence).collect();
        words.split(|word| BREAKS.contains(word)).map(<[&str]>::to_vec).collect::<Vec<_>>()
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-')
}

fn tells(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && FILLERS.binary_search(&word).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_cut_into_what_it_needs() {
        assert!(FILLERS.is_sorted());
        for (goal, expected) in [
            (
                "The annual revenue figures from 2014 to 2020: find them, plot them and then write a report.",
                vec!["annual revenue figures", "find", "plot", "write report"],
            ),
            ("Translate this letter", vec!["translate letter"]),
            ("Count boats and sort nets at the same time.", vec!["count boats", "sort nets"]),
            ("In parallel: count boats, sort nets", vec!["count boats", "sort nets"]),
            ("to the; 42", vec![]),
        ] {
            let found: Vec<String> = required_skills(goal).into_iter().map(String::from).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(required_skills(&"sing a song number x, ".repeat(1_000)).len(), 1);
    }

    #[test]
    fn clauses_are_in_order_unless_the_goal_says_otherwise() {
        for goal in [
            "The annual revenue figures from 2014 to 2020: find them, plot them, write a report.",
            "I want to know the annual revenue of Microsoft. Please generate a figure, and give me a report.",
            "Find the tide times of Husum, then convert the heights to feet",
            "Gather the tide times, and convert 3 m to feet",
            "Gather the figures.\nSum up the results.",
        ] {
            assert!(is_sequential(goal), "{goal}");
        }
        for goal in [
            "Gather the tide times and convert 3 m to feet at the same time.",
            "In parallel: translate the letter, count the boats",
            "Independently, plot the figures and write a report",
            "Translate this letter",
            "Then?",
            ", translate this letter",
            "",
        ] {
            assert!(!is_sequential(goal), "{goal}");
        }
    }
}
