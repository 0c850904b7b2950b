//! Synthetic data: agents with skills, goals that require some of them, and the agents wanted for each goal.
//!
//! An agent serves one kind of customer (its sector) and has one to three skills. A skill is an action (act)
//! on an object (thing). No two agents have the same skill in the same sector if one of them is wanted, so
//! the labels are unambiguous. The word lists give agents one vocabulary and goals two families. Rules are
//! tuned on goals of one family. The report uses the other family, which shares no word with it.
//!
//! An agent describes itself by a sentence, or by a card like published ones: of 24 public A2A cards, 15
//! described skills beside the agent, 12 of them had tags, 8 of those had examples of requests, mostly two
//! per skill.

use std::collections::HashSet;

use crate::listings::Words as Dice;

/// Fixed seed: every run generates the same data.
const SEED: u64 = 2_407;
/// Number of agents from which goals are made. Further agents are distractors.
pub const LABELLED: usize = 1_500;
/// Assignments that the member can do alone, out of every 625 (the proportion of arXiv 2407.07061, appendix
/// C).
const ALONE: usize = 300;
const OF: usize = 625;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Tuning,
    Report,
}

/// Form of an agent's self-description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Sentence,
    Card,
}

pub struct World {
    pub profiles: Vec<Profile>,
    pub goals: Vec<Goal>,
}

pub struct Profile {
    pub name: String,
    pub summary: String,
    pub tags: Vec<String>,
    /// Text of the skills and examples of requests.
    pub said: String,
    skills: Vec<Skill>,
    sector: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Skill {
    act: usize,
    thing: usize,
}

pub struct Goal {
    pub text: String,
    /// Numbers of the wanted agents.
    pub labels: Vec<usize>,
    pub errand: Errand,
}

/// Assignment of a member, which it can do alone or only half of.
pub struct Errand {
    pub member: usize,
    pub text: String,
    pub alone: bool,
}

/// Clause of a goal.
#[derive(Clone, Copy)]
struct Clause {
    skill: Skill,
    sector: usize,
}

impl Profile {
    /// Returns the whole self-description.
    pub fn text(&self) -> String {
        format!("{}. {} {} {}", self.name, self.summary, self.tags.join(", "), self.said)
    }
}

impl World {
    pub fn new(family: Family, said: Said, profiles: usize, goals: usize) -> Self {
        let lists = Lists { said, ..Lists::read() };
        let mut dice = Dice::new(SEED);
        let mut taken = HashSet::new();
        let labelled = profiles.min(LABELLED);
        let mut all: Vec<Profile> =
            (0..labelled).map(|n| lists.profile(n, &mut taken, true, &mut dice)).collect();
        let goals = (0..goals).map(|n| lists.goal(family, n, &all, &mut dice)).collect();
        all.extend((labelled..profiles).map(|n| lists.profile(n, &mut taken, false, &mut dice)));
        Self { profiles: all, goals }
    }
}

struct Lists {
    said: Said,
    acts: Vec<Concept>,
    things: Vec<Concept>,
    sectors: Vec<Concept>,
}

/// Synonyms for one concept, by vocabulary.
struct Concept {
    profile: Vec<&'static str>,
    tuning: Vec<&'static str>,
    report: Vec<&'static str>,
}

impl Concept {
    fn list(text: &'static str) -> Vec<Self> {
        let ways = |part: &'static str| part.split('|').map(str::trim).collect::<Vec<_>>();
        let concept = |line: &'static str| {
            let mut parts = line.split(';').map(ways);
            let mut next = || parts.next().unwrap_or_default();
            Self { profile: next(), tuning: next(), report: next() }
        };
        text.lines().map(concept).collect()
    }

    /// Picks a synonym, from the agents' vocabulary if there is no family.
    fn of(&self, family: Option<Family>, dice: &mut Dice) -> &'static str {
        match family {
            None => pick(&self.profile, dice),
            Some(Family::Tuning) => pick(&self.tuning, dice),
            Some(Family::Report) => pick(&self.report, dice),
        }
    }
}

/// Vocabularies of examples: that of agents, or either family of users.
const VOICES: [Option<Family>; 3] = [None, Some(Family::Tuning), Some(Family::Report)];
/// Numbers of published cards, of cards with skills, with tags, and with examples, as counted above.
const CARDS: usize = 24;
const WITH_SKILLS: usize = 15;
const WITH_TAGS: usize = 12;
const WITH_EXAMPLES: usize = 8;
const EXAMPLES: usize = 2;

const BOILERPLATE: [&str; 6] = [
    "Answers in plain words.",
    "Ask at any hour.",
    "Made by a small team with years of practice.",
    "Reliable, fast and discreet.",
    "Works from text, tables and files.",
    "Says so when it is not sure.",
];
const NAMES: [&str; 8] = ["Aria", "Bolt", "Cedar", "Delta", "Ember", "Flint", "Gale", "Haven"];

impl Lists {
    fn read() -> Self {
        Self {
            said: Said::Card,
            acts: Concept::list(include_str!("acts.txt")),
            things: Concept::list(include_str!("things.txt")),
            sectors: Concept::list(include_str!("sectors.txt")),
        }
    }

    /// Generates an agent. `taken` holds skills in sectors that are reserved for one agent; `wanted` reserves
    /// those of this one.
    fn profile(
        &self,
        n: usize,
        taken: &mut HashSet<(Skill, usize)>,
        wanted: bool,
        dice: &mut Dice,
    ) -> Profile {
        let sector = below(dice, self.sectors.len());
        let count = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3][below(dice, 10)];
        let mut skills = Vec::new();
        while skills.len() < count {
            let skill = Skill { act: below(dice, self.acts.len()), thing: below(dice, self.things.len()) };
            if !taken.contains(&(skill, sector)) && !skills.contains(&skill) {
                skills.push(skill);
            }
        }
        if wanted {
            taken.extend(skills.iter().map(|skill| (*skill, sector)));
        }
        let offers = self.offers(&skills, dice);
        let sector_said = pick(&self.sectors[sector].profile, dice);
        let summary = format!("{} for {sector_said}. {}", offers.join(" and "), pick(&BOILERPLATE, dice));
        let name = format!("{} {n}", pick(&NAMES, dice));
        let sentence = Profile { name, summary, tags: Vec::new(), said: String::new(), skills, sector };
        match self.said {
            Said::Sentence => sentence,
            Said::Card => self.card(sentence, dice),
        }
    }

    fn card(&self, profile: Profile, dice: &mut Dice) -> Profile {
        let Profile { skills, sector, .. } = &profile;
        let has = below(dice, CARDS);
        let mut said = if has < WITH_SKILLS { self.offers(skills, dice) } else { Vec::new() };
        let mut tags = Vec::new();
        if has < WITH_TAGS {
            tags.extend(skills.iter().map(|skill| pick(&self.things[skill.thing].profile, dice).to_owned()));
            tags.push(pick(&self.sectors[*sector].profile, dice).to_owned());
        }
        if has < WITH_EXAMPLES {
            let twice = skills.iter().flat_map(|skill| [*skill; EXAMPLES]);
            said.extend(twice.map(|skill| self.example(Clause { skill, sector: *sector }, dice)));
        }
        let said = said.join(". ");
        Profile { tags, said, ..profile }
    }

    fn offers(&self, skills: &[Skill], dice: &mut Dice) -> Vec<String> {
        skills.iter().map(|skill| self.ask(None, *skill, dice)).collect()
    }

    /// Returns an example request, which names the customers half of the time.
    fn example(&self, Clause { skill, sector }: Clause, dice: &mut Dice) -> String {
        let voice = pick(&VOICES, dice);
        let asked = self.ask(voice, skill, dice);
        match below(dice, 2) {
            0 => asked,
            _ => format!("{asked} for {}", self.sectors[sector].of(voice, dice)),
        }
    }

    fn ask(&self, voice: Option<Family>, skill: Skill, dice: &mut Dice) -> String {
        let (act, thing) = (&self.acts[skill.act], &self.things[skill.thing]);
        format!("{} {}", act.of(voice, dice), thing.of(voice, dice))
    }

    fn goal(&self, family: Family, n: usize, all: &[Profile], dice: &mut Dice) -> Goal {
        let one_sector = !n.is_multiple_of(3);
        let count = 2 + below(dice, 3);
        let mut labels: Vec<usize> = vec![below(dice, all.len())];
        while labels.len() < count {
            let next = below(dice, all.len());
            let fits = !one_sector || all[next].sector == all[labels[0]].sector;
            if fits && !labels.contains(&next) {
                labels.push(next);
            }
        }
        let mut clauses = Vec::new();
        for &label in &labels {
            // Some agents are wanted for two skills.
            let uses = if below(dice, 10) < 3 { 2 } else { 1 };
            let Profile { skills, sector, .. } = &all[label];
            clauses.extend(skills.iter().take(uses).map(|&skill| Clause { skill, sector: *sector }));
        }
        let text = self.say(family, &clauses, one_sector, dice);
        Goal { text, labels, errand: self.errand(family, n, all, dice) }
    }

    fn errand(&self, family: Family, n: usize, all: &[Profile], dice: &mut Dice) -> Errand {
        // Spreads them evenly over the goals: 299 and 625 are coprime.
        let alone = n * 299 % OF < ALONE;
        loop {
            let (member, other) = (below(dice, all.len()), below(dice, all.len()));
            let sector = all[member].sector;
            let second = match alone {
                true => all[member].skills.get(1),
                false if other != member && all[other].sector == sector => all[other].skills.first(),
                false => None,
            };
            if let Some(&second) = second {
                let clauses = [all[member].skills[0], second].map(|skill| Clause { skill, sector });
                return Errand { member, text: self.say(family, &clauses, true, dice), alone };
            }
        }
    }

    fn say(&self, family: Family, clauses: &[Clause], one_sector: bool, dice: &mut Dice) -> String {
        let mut sector = |at: usize| self.sectors[at].of(Some(family), dice);
        let whom: Vec<&str> = clauses.iter().map(|clause| sector(clause.sector)).collect();
        let said: Vec<String> =
            clauses.iter().map(|clause| self.ask(Some(family), clause.skill, dice)).collect();
        let each = |link: &str| {
            let pairs = said.iter().zip(&whom).map(|(said, whom)| format!("{said} {link} {whom}"));
            pairs.collect::<Vec<_>>()
        };
        let whom = whom[0];
        match (family, one_sector, below(dice, 2)) {
            (Family::Tuning, true, 0) => format!("For {whom}: {}.", said.join(" and ")),
            (Family::Tuning, true, _) => format!("{}. All of it is for {whom}.", said.join(", then ")),
            (Family::Tuning, false, 0) => format!("{}.", each("for").join(", and ")),
            (Family::Tuning, false, _) => format!("Please {}.", each("for").join("; then ")),
            (Family::Report, true, 0) => {
                format!("Our customers, {whom}, need somebody to {}.", said.join("; to "))
            }
            (Family::Report, true, _) => {
                format!("We must {}. {whom} wait.", said.join(". Besides, we must "))
            }
            (Family::Report, false, 0) => format!("{}!", each("on behalf of").join(". ")),
            (Family::Report, false, _) => format!("To do: {}", each("as asked by").join("\n")),
        }
    }
}

fn pick<T: Copy>(among: &[T], dice: &mut Dice) -> T {
    among[below(dice, among.len())]
}

fn below(dice: &mut Dice, end: usize) -> usize {
    dice.below(end as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Function words that every sentence needs.
    const COMMON: [&str; 2] = ["about", "with"];

    fn words<'a>(said: impl IntoIterator<Item = &'a &'static str>) -> HashSet<&'static str> {
        let words = said.into_iter().flat_map(|said| said.split(|c: char| !c.is_alphabetic()));
        words.filter(|word| word.len() > 3 && !COMMON.contains(word)).collect()
    }

    #[test]
    fn the_families_share_no_word() {
        let Lists { acts, things, sectors, .. } = Lists::read();
        let all: Vec<Concept> = acts.into_iter().chain(things).chain(sectors).collect();
        assert!(all.iter().all(|concept| !concept.profile.is_empty() && !concept.report[0].is_empty()));
        let tuning = words(all.iter().flat_map(|concept| &concept.tuning));
        let report = words(all.iter().flat_map(|concept| &concept.report));
        assert!(tuning.len() > 80 && report.len() > 80);
        let shared: Vec<_> = tuning.intersection(&report).collect();
        assert!(shared.is_empty(), "{shared:?}");
    }

    #[test]
    fn whom_a_goal_needs_is_known() {
        let world = World::new(Family::Report, Said::Card, 2_000, 200);
        for goal in &world.goals {
            assert!((2..=4).contains(&goal.labels.len()));
            let wanted = &world.profiles[goal.labels[0]];
            let same = |other: &Profile| {
                other.sector == wanted.sector
                    && other.skills.iter().any(|skill| wanted.skills.contains(skill))
            };
            assert_eq!(world.profiles.iter().filter(|other| same(other)).count(), 1, "{}", goal.text);
        }
        let again = World::new(Family::Report, Said::Card, 2_000, 200);
        assert_eq!(world.goals[17].text, again.goals[17].text);
    }
}
