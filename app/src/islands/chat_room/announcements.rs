//! Screen-reader announcements about an answer: started, continuing, ended. Its text is not announced.

use super::texts::{RoomTexts, fill};

/// Returns the announcement of an answer's state.
pub fn status(texts: &RoomTexts, name: &str, state: &str, words: usize) -> String {
    let text = match (state, words) {
        ("open", 0) => &texts.answering,
        ("open", 1) => &texts.still_answering_word,
        ("open", _) => &texts.still_answering,
        ("stopped", 1) => &texts.stopped_word,
        ("stopped", _) => &texts.stopped,
        ("failed", _) => &texts.failed,
        (_, 1) => &texts.finished_word,
        _ => &texts.finished,
    };
    fill(text, &[name, &words.to_string()])
}

/// Returns the announcement of a pending approval.
pub fn asks(texts: &RoomTexts, tool: &str) -> String {
    fill(&texts.approval, &[tool])
}

/// Returns the line on the people that have a room open, without its viewer; empty if the viewer is alone.
pub fn here(texts: &RoomTexts, people: &[String], viewer: Option<&str>) -> String {
    let others: Vec<&str> = people.iter().map(String::as_str).filter(|name| Some(*name) != viewer).collect();
    match others.as_slice() {
        [] => String::new(),
        [name] => fill(&texts.here_one, &[name]),
        names => fill(&texts.here, &[&names.join(&texts.separator)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_announced_at_its_turns() {
        let texts = &RoomTexts::of_page();
        let status = |name, state, words| status(texts, name, state, words);
        assert_eq!(status("Calc", "open", 0), "Calc is answering…");
        assert_eq!(status("Calc", "open", 80), "Calc is still answering, 80 words.");
        assert_eq!(status("Calc", "done", 240), "Calc finished, 240 words.");
        assert_eq!(status("Calc", "done", 1), "Calc finished, 1 word.");
        assert_eq!(status("Calc", "stopped", 1), "Calc was stopped after 1 word.");
        assert_eq!(status("Calc", "failed", 0), "Calc could not finish.");
        assert_eq!(asks(texts, "rm"), "Requests approval to call rm.");
        let people = ["ada", "bob", "rita"].map(str::to_owned);
        assert_eq!(here(texts, &people[..1], Some("ada")), "");
        assert_eq!(here(texts, &people[..2], Some("ada")), "bob is here");
        assert_eq!(here(texts, &people, Some("ada")), "bob, rita are here");
    }
}
