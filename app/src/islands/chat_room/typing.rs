//! The people of a room that type now, and the line about them.

use super::texts::{RoomTexts, fill};

/// Milliseconds for which a report counts.
pub const TTL: u32 = 6_000;
/// Maximum number of people that are kept: as many as a room may have.
const MAX_PEOPLE: usize = 50;
/// Largest number with the text `typing_few`.
const MAX_FEW: usize = 10;

/// People that type, each with the time of its last report, in the order in which they began.
#[derive(Default)]
pub struct TypingPeople(Vec<(String, f64)>);

impl TypingPeople {
    pub fn report(&mut self, name: &str, now: f64) {
        if let Some((_, at)) = self.0.iter_mut().find(|(known, _)| known == name) {
            *at = now;
        } else if self.0.len() < MAX_PEOPLE {
            self.0.push((name.to_owned(), now));
        }
    }

    /// Removes a person, whose message has arrived.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    /// Removes the people without a recent report.
    pub fn expire(&mut self, now: f64) {
        self.0.retain(|(_, at)| now - at < f64::from(TTL));
    }

    /// Returns the line about the people; empty if no one types.
    pub fn line(&self, texts: &RoomTexts) -> String {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        match names.as_slice() {
            [] => String::new(),
            [_] => fill(&texts.typing_one, &names),
            [_, _] => fill(&texts.typing_two, &names),
            all => {
                let text = if all.len() > MAX_FEW { &texts.typing_many } else { &texts.typing_few };
                fill(text, &[&all.len().to_string()])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(people: &TypingPeople) -> String {
        let text = |text: &str| text.to_owned();
        people.line(&RoomTexts {
            typing_one: text("{0} is typing…"),
            typing_two: text("{0} and {1} are typing…"),
            typing_few: text("{0} people are typing…"),
            typing_many: text("{0} people are typing!"),
            ..RoomTexts::default()
        })
    }

    #[test]
    fn names_are_shown_until_their_reports_expire() {
        let mut people = TypingPeople::default();
        assert_eq!(line(&people), "");
        people.report("ada", 0.0);
        assert_eq!(line(&people), "ada is typing…");
        people.report("bob", 1_000.0);
        people.report("ada", 2_000.0);
        assert_eq!(line(&people), "ada and bob are typing…");
        people.report("rita", 3_000.0);
        assert_eq!(line(&people), "3 people are typing…");
        people.expire(7_500.0);
        assert_eq!(line(&people), "ada and rita are typing…");
        people.remove("rita");
        assert_eq!(line(&people), "ada is typing…");
        people.expire(8_000.0);
        assert_eq!(line(&people), "");
    }

    #[test]
    fn a_room_has_a_bounded_number_of_people() {
        let mut people = TypingPeople::default();
        (0..1_000).for_each(|number| people.report(&format!("user{number}"), 0.0));
        assert_eq!(line(&people), "50 people are typing!");
    }
}
