//! An agent for a Plexus hub.
//!
//! ```text
//! plexus agent run NAME --protocol jsonl -- cargo run --quiet
//! ```
//!
//! The protocol is one JSON object per line, in both directions. The hub writes to standard input:
//!
//! - `{"type": "message", "run": …, "text": …, "turns": […]}`: a question
//! - `{"type": "cancel", "run": …}`: the run is cancelled
//!
//! The agent writes to standard output:
//!
//! - `{"run": …, "type": "text", "text": …}`: a piece of the answer
//! - `{"run": …, "type": "completed"}`: the end of the answer
//!
//! Questions may arrive concurrently, so each is answered in a thread of its own.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::{Value, json};

const READS_PER_MINUTE: f64 = 230.0;

/// Write your agent here. Call `tell` for each piece of output; check `cancelled` during long operations.
fn answer(question: &Value, tell: impl Fn(Value), cancelled: &AtomicBool) {
    let words: Vec<&str> = question["text"].as_str().unwrap_or_default().split_whitespace().collect();
    tell(json!({ "type": "status", "line": "Counting" }));
    let Some(longest) = words.iter().rev().max_by_key(|word| word.chars().count()) else {
        let words = "Send me a text, and I will tell you how long it takes to read.";
        return tell(json!({ "type": "text", "text": words }));
    };
    tell(json!({ "type": "text", "text": format!("**{}** words, ", words.len()) }));
    if cancelled.load(Ordering::Relaxed) {
        return;
    }
    let minutes = words.len() as f64 / READS_PER_MINUTE;
    let text = format!("the longest of them “{longest}”. Reading it takes {minutes:.1} minutes.");
    tell(json!({ "type": "text", "text": text }));
}

fn main() -> io::Result<()> {
    let mut running: HashMap<String, Arc<AtomicBool>> = HashMap::new();
    for line in io::stdin().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let run = message["run"].as_str().unwrap_or_default().to_owned();
        match message["type"].as_str() {
            Some("message") => {
                let cancelled = Arc::new(AtomicBool::new(false));
                running.insert(run, cancelled.clone());
                thread::spawn(move || work(&message, &cancelled));
            }
            Some("cancel") => {
                if let Some(cancelled) = running.get(&run) {
                    cancelled.store(true, Ordering::Relaxed);
                }
            }
            _ => {}
        }
        running.retain(|_, cancelled| Arc::strong_count(cancelled) > 1);
    }
    Ok(())
}

fn work(question: &Value, cancelled: &Arc<AtomicBool>) {
    let tell = |mut message: Value| {
        message["run"] = question["run"].clone();
        println!("{message}");
    };
    answer(question, tell, cancelled);
    let end = if cancelled.load(Ordering::Relaxed) { "cancelled" } else { "completed" };
    tell(json!({ "type": end }));
}
