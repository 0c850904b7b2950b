//! Finds the message of a text that another crate formatted in English, such as "User ada not found.", and its values.

use std::sync::LazyLock;

use fluent_bundle::FluentValue;

use super::{catalogues, format};
use crate::view_models::Locale;

/// A message with variables: the English text around them.
struct Template {
    key: &'static str,
    /// Text before the first variable.
    start: &'static str,
    /// Each variable with the text after it.
    variables: Vec<(&'static str, &'static str)>,
}

/// Returns the translation of a text with values. The values stay as they are.
pub fn translate(locale: Locale, english: &str) -> Option<String> {
    static TEMPLATES: LazyLock<Vec<Template>> =
        LazyLock::new(|| catalogues::lines(catalogues::MESSAGES).filter_map(parse).collect());
    TEMPLATES.iter().find_map(|template| {
        let values = values(template, english)?;
        let args: Vec<(&str, FluentValue<'_>)> =
            template.variables.iter().zip(values).map(|((name, _), value)| (*name, value.into())).collect();
        Some(format(locale, template.key, &args))
    })
}

/// Parses a line of the catalogue; `None` if its message has no variables.
fn parse((key, text): (&'static str, &'static str)) -> Option<Template> {
    let mut pieces = text.split("{ $");
    let start = pieces.next()?;
    let variables: Vec<_> = pieces.filter_map(|piece| piece.split_once(" }")).collect();
    (!variables.is_empty()).then_some(Template { key, start, variables })
}

/// Returns the values of the variables in a text; `None` if it is not a text of this template. No value is empty.
fn values<'t>(template: &Template, text: &'t str) -> Option<Vec<&'t str>> {
    let mut rest = text.strip_prefix(template.start)?;
    let mut values = Vec::with_capacity(template.variables.len());
    for (at, (_, after)) in template.variables.iter().enumerate() {
        let is_last = at + 1 == template.variables.len();
        let (value, next) = if is_last { (rest.strip_suffix(after)?, "") } else { rest.split_once(after)? };
        if value.is_empty() {
            return None;
        }
        values.push(value);
        rest = next;
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_stands_between_the_text() {
        let template = parse(("key", "{ $name } is larger than { $size }. Send a smaller file.")).unwrap();
        let found = |text| values(&template, text);
        assert_eq!(
            found("a is larger than b.png is larger than 2 MB. Send a smaller file."),
            Some(vec!["a", "b.png is larger than 2 MB"])
        );
        assert_eq!(
            found("tide.png is larger than 2 MB. Send a smaller file."),
            Some(vec!["tide.png", "2 MB"])
        );
        assert_eq!(found(" is larger than 2 MB. Send a smaller file."), None);
        assert_eq!(found("tide.png is larger than 2 MB."), None);
        assert!(parse(("key", "No variables.")).is_none());
    }

    #[test]
    fn values_stay_in_each_language() {
        let english = "User a{b}<i> not found on this hub. Check the name.";
        assert_eq!(translate(Locale::En, english).as_deref(), Some(english));
        let german = translate(Locale::De, english).unwrap();
        assert!(german.starts_with("Benutzer a{b}<i> gibt es"), "{german}");
        assert_eq!(translate(Locale::De, "Nothing like this."), None);
    }
}
