//! An agent for a Plexus hub.
//!
//! ```text
//! plexus agent run NAME --speaks lines -- cargo run --quiet
//! ```
//!
//! The protocol is one JSON object per line, in both directions. The hub writes to standard input:
//!
//! - `{"order": "ask", "run": …, "text": …, "turns": […]}`: a question
//! - `{"order": "stop", "run": …}`: the run is cancelled
//!
//! The agent writes to standard output:
//!
//! - `{"run": …, "told": "text", "text": …}`: a piece of the answer
//! - `{"run": …, "told": "completed"}`: the end of the answer
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

/// Write your agent here. Call `tell` for each piece of output; check `stopped` during long operations.
fn answer(question: &Value, tell: impl Fn(Value), stopped: &AtomicBool) {
    let words: Vec<&str> = question["text"].as_str().unwrap_or_default().split_whitespace().collect();
    tell(json!({ "told": "status", "line": "Counting" }));
    let Some(longest) = words.iter().rev().max_by_key(|word| word.chars().count()) else {
        let words = "Send me a text, and I will tell you how long it takes to read.";
        return tell(json!({ "told": "text", "text": words }));
    };
    tell(json!({ "told": "text", "text": format!("**{}** words, ", words.len()) }));
    if stopped.load(Ordering::Relaxed) {
        return;
    }
    let minutes = words.len() as f64 / READS_PER_MINUTE;
    let text = format!("the longest of them “{longest}”. Reading it takes {minutes:.1} minutes.");
    tell(json!({ "told": "text", "text": text }));
}

fn main() -> io::Result<()> {
    let mut running: HashMap<String, Arc<AtomicBool>> = HashMap::new();
    for line in io::stdin().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        let run = order["run"].as_str().unwrap_or_default().to_owned();
        match order["order"].as_str() {
            Some("ask") => {
                let stopped = Arc::new(AtomicBool::new(false));
                running.insert(run, stopped.clone());
                thread::spawn(move || work(&order, &stopped));
            }
            Some("stop") => {
                if let Some(stopped) = running.get(&run) {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
            _ => {}
        }
        running.retain(|_, stopped| Arc::strong_count(stopped) > 1);
    }
    Ok(())
}

fn work(question: &Value, stopped: &Arc<AtomicBool>) {
    let tell = |mut told: Value| {
        told["run"] = question["run"].clone();
        println!("{told}");
    };
    answer(question, tell, stopped);
    let end = if stopped.load(Ordering::Relaxed) { "stopped" } else { "completed" };
    tell(json!({ "told": end }));
}
