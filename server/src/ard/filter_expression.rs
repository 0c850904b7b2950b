//! Filter expressions of lists (specification appendix A), such as `type = 'application/a2a-agent-card+json'
//! AND updatedAfter > '2026-01-01'`.

use plexus_domain::Timestamp;

use super::{entry::ArdEntry, error::ArdError};

const MAX_BYTES: usize = 4_096;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expression(Vec<Constraint>);

#[derive(Debug, PartialEq, Eq)]
enum Constraint {
    /// Case-insensitive substring of the name.
    DisplayName(String),
    Type(Vec<String>),
    Publisher(Vec<String>),
    CreatedAfter(Timestamp),
    UpdatedAfter(Timestamp),
}

impl Expression {
    pub fn read(text: &str) -> Result<Self, ArdError> {
        if text.len() > MAX_BYTES {
            return Err(ArdError::invalid("A filter has at most 4096 bytes."));
        }
        let mut rest = text.trim();
        let mut constraints = Vec::new();
        while !rest.is_empty() {
            let (constraint, after) = comparison(rest)?;
            constraints.push(constraint);
            rest = and(after.trim_start())?;
        }
        Ok(Self(constraints))
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn matches(&self, entry: &ArdEntry) -> bool {
        let term = |name: &str| entry.terms[name].as_str().unwrap_or_default();
        self.0.iter().all(|constraint| match constraint {
            Constraint::DisplayName(name) => term("displayName").to_lowercase().contains(name),
            Constraint::Type(types) => types.iter().any(|known| known == term("type")),
            Constraint::Publisher(publishers) => publishers.contains(&entry.publisher),
            Constraint::CreatedAfter(at) => entry.created > *at,
            Constraint::UpdatedAfter(at) => entry.updated > *at,
        })
    }
}

/// Parses one comparison at the start of `text`, and returns it with the remaining text.
fn comparison(text: &str) -> Result<(Constraint, &str), ArdError> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (field, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let end = rest.find(|letter: char| !"=<>!:~".contains(letter)).unwrap_or(rest.len());
    let (operator, rest) = rest.split_at(end);
    let (value, rest) = quoted(rest.trim_start())?;
    let wants = |operators: &[&str]| {
        let words = format!("The field {field} is compared with {}.", operators.join(" or "));
        if operators.contains(&operator) { Ok(()) } else { Err(ArdError::invalid(words)) }
    };
    let constraint = match field {
        "displayName" => wants(&["="]).map(|()| Constraint::DisplayName(value.to_lowercase())),
        "type" => wants(&["="]).map(|()| Constraint::Type(list(value))),
        "publisherId" => wants(&["="]).map(|()| Constraint::Publisher(list(value))),
        "createdAfter" => wants(&[">", "="]).and_then(|()| time(value)).map(Constraint::CreatedAfter),
        "updatedAfter" => wants(&[">", "="]).and_then(|()| time(value)).map(Constraint::UpdatedAfter),
        _ => Err(unreadable()),
    };
    Ok((constraint?, rest))
}

fn quoted(text: &str) -> Result<(&str, &str), ArdError> {
    let quote = text.chars().next().filter(|letter| matches!(letter, '\'' | '"')).ok_or_else(unreadable)?;
    text[1..].split_once(quote).ok_or_else(unreadable)
}

fn list(value: &str) -> Vec<String> {
    value.split(',').map(|one| one.trim().to_owned()).collect()
}

/// Parses an ISO 8601 time. A date alone means the start of that day in UTC.
fn time(text: &str) -> Result<Timestamp, ArdError> {
    let day = || Timestamp::from_rfc3339(&format!("{text}T00:00:00Z"));
    let words = "A time is written as 2026-11-20 or 2026-11-20T10:00:00Z.";
    Timestamp::from_rfc3339(text).or_else(day).ok_or_else(|| ArdError::invalid(words))
}

fn and(text: &str) -> Result<&str, ArdError> {
    if text.is_empty() {
        return Ok(text);
    }
    let rest = text.get(..3).filter(|word| word.eq_ignore_ascii_case("and")).map(|_| &text[3..]);
    let rest = rest.filter(|rest| rest.starts_with(char::is_whitespace)).map(str::trim_start);
    rest.filter(|rest| !rest.is_empty()).ok_or_else(unreadable)
}

fn unreadable() -> ArdError {
    let words = "A filter looks like type = 'application/a2a-agent-card+json' AND updatedAfter > '2026-01-01'. Fields are \
                 displayName, type, publisherId, createdAfter and updatedAfter; values stand in quotes.";
    ArdError::invalid(words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(text: &str) -> bool {
        let terms = json!({ "displayName": "Weather Report", "type": "a" });
        let at = Timestamp::from_rfc3339("2026-05-05T10:00:00Z").unwrap();
        let entry = ArdEntry { terms, publisher: "hub.example".to_owned(), created: at, updated: at };
        Expression::read(text).unwrap().matches(&entry)
    }

    #[test]
    fn all_of_the_comparisons_hold() {
        assert!(matches("") && matches("displayName = 'weather'") && matches(" type='b, a' "));
        assert!(matches("publisherId = \"hub.example\" AND updatedAfter > '2026-05-05'"));
        assert!(matches("createdAfter = '2026-05-05T09:59:59Z' and type = 'a'"));
        assert!(!matches("createdAfter > '2026-05-06'") && !matches("type = 'a' AND displayName = 'x'"));
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [
            "type",
            "type =",
            "type = a",
            "type = 'a",
            "nothing = 'a'",
            "type > 'a'",
            "type = 'a' OR type = 'b'",
            "type = 'a' AND",
            "type = 'a' ANDtype = 'b'",
            "updatedAfter > 'soon'",
            "(type = 'a')",
            "'a' = type",
            "é = 'a'",
            "type = 'a' é",
        ] {
            assert!(Expression::read(wrong).is_err(), "{wrong}");
        }
    }
}
