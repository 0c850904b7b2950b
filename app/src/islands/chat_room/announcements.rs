//! Screen-reader announcements about an answer: started, continuing, ended. Its text is not announced.

/// Returns the announcement of an answer's state.
pub fn status(name: &str, state: &str, words: usize) -> String {
    match state {
        "open" if words == 0 => format!("{name} is answering…"),
        "open" => format!("{name} is still answering, {}.", counted(words)),
        "stopped" => format!("{name} was stopped after {}.", counted(words)),
        "failed" => format!("{name} could not finish."),
        _ => format!("{name} finished, {}.", counted(words)),
    }
}

/// Returns the announcement of a pending approval.
pub fn asks(tool: &str) -> String {
    format!("Requests approval to call {tool}.")
}

/// Returns the line on the people that have a room open, without its viewer; empty if the viewer is alone.
pub fn here(people: &[String], viewer: Option<&str>) -> String {
    let others: Vec<&str> = people.iter().map(String::as_str).filter(|name| Some(*name) != viewer).collect();
    match others.as_slice() {
        [] => String::new(),
        [name] => format!("{name} is here"),
        names => format!("{} are here", names.join(", ")),
    }
}

fn counted(words: usize) -> String {
    if words == 1 { "1 word".to_owned() } else { format!("{words} words") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_announced_at_its_turns() {
        assert_eq!(status("Calc", "open", 0), "Calc is answering…");
        assert_eq!(status("Calc", "open", 80), "Calc is still answering, 80 words.");
        assert_eq!(status("Calc", "done", 240), "Calc finished, 240 words.");
        assert_eq!(status("Calc", "done", 1), "Calc finished, 1 word.");
        assert_eq!(asks("rm"), "Requests approval to call rm.");
        let people = ["ada", "bob", "rita"].map(str::to_owned);
        assert_eq!(here(&people[..1], Some("ada")), "");
        assert_eq!(here(&people[..2], Some("ada")), "bob is here");
        assert_eq!(here(&people, Some("ada")), "bob, rita are here");
    }
}
