//! English texts of other crates that contain values, such as "Agent @ada/tide not found."

/// Text of a message with variables, divided at them.
pub struct Template {
    pub key: &'static str,
    start: &'static str,
    /// Each variable, and the text after it.
    variables: Vec<(&'static str, &'static str)>,
}

impl Template {
    /// Divides the text of a message; `None` if it has no variables.
    pub fn parse(key: &'static str, text: &'static str) -> Option<Self> {
        let mut pieces = text.split("{ $");
        let start = pieces.next()?;
        let variables: Vec<_> = pieces.map(|piece| piece.split_once(" }")).collect::<Option<_>>()?;
        (!variables.is_empty()).then_some(Self { key, start, variables })
    }

    /// Returns the values of the variables in a text, or `None` if it is not a text of this message.
    pub fn values<'t>(&self, text: &'t str) -> Option<Vec<(&'static str, &'t str)>> {
        let (last, others) = self.variables.split_last()?;
        let mut rest = text.strip_prefix(self.start)?;
        let mut values = Vec::with_capacity(self.variables.len());
        for (name, after) in others {
            let (value, remaining) = rest.split_once(after)?;
            values.push((*name, value));
            rest = remaining;
        }
        values.push((last.0, rest.strip_suffix(last.1)?));
        Some(values)
    }

    /// Returns how many bytes of the text are not values. More of them fit better.
    pub fn fixed_bytes(&self) -> usize {
        self.start.len() + self.variables.iter().map(|(_, after)| after.len()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{locales::translate, view_models::Locale};

    #[test]
    fn values_are_what_stands_between_the_words() {
        let template = Template::parse("key", "Send { $count } files to { $name }.").unwrap();
        let values = template.values("Send 3 files to @ada/tide.");
        assert_eq!(values, Some(vec![("count", "3"), ("name", "@ada/tide")]));
        for other in
            ["", "Send 3 files to", "Send 3 files to ada", "Send 3 file to ada.", "Send files to ada."]
        {
            assert_eq!(template.values(other), None, "{other}");
        }
        assert!(Template::parse("key", "No variable.").is_none());
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
