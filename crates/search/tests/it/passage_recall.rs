//! Recall of [`PassageIndex`] on labelled questions about the documentation of this repository.

use std::{fs, path::Path};

use plexus_domain::knowledge::{Passage, split_passages};
use plexus_search::PassageIndex;

/// Number of passages that a model gets.
const PASSAGES: usize = 5;
/// Questions, each with the file and the heading of the passages that answer it.
const QUESTIONS: [(&str, &str, &str); 24] = [
    ("How do I back up a running hub?", "operate.md", "Back up"),
    ("How are backups made every day?", "operate.md", "Scheduled backups"),
    ("How do I restore an archive into Postgres?", "operate.md", "Restore"),
    ("How does a hub move to a new machine?", "operate.md", "Move to another machine"),
    ("Which variable sets the folder of the database?", "operate.md", "Settings"),
    ("How is the hub installed with systemd?", "operate.md", "Install with systemd"),
    ("Can several instances share one database?", "operate.md", "Several instances"),
    ("What happens at SIGTERM?", "operate.md", "Restart and upgrade"),
    ("How does fail2ban block addresses with wrong passwords?", "operate.md", "Block addresses"),
    ("Where are the Prometheus metrics?", "operate.md", "Monitoring"),
    ("How do I connect an OpenAI-compatible model server?", "operate.md", "Models"),
    ("Which sandbox do programs run in?", "operate.md", "Programs"),
    ("How much can one account store?", "operate.md", "Quotas"),
    ("How does a hub behind NAT get calls?", "federation.md", "Hubs behind NAT"),
    ("How do I block another hub?", "federation.md", "Block hubs and agents"),
    ("How do I share my rules with other hubs?", "federation.md", "Share rules"),
    ("How do I prove the origin of my agent by DNS?", "publish.md", "Verify an origin"),
    (
        "How do I run a program as an agent on my own machine?",
        "publish.md",
        "Run a program on your own machine",
    ),
    ("How do I describe an HTTP endpoint?", "publish.md", "Describe an HTTP endpoint"),
    ("Which MCP tools can a model with instructions call?", "publish.md", "Tools"),
    ("Who can find an agent that is unlisted?", "publish.md", "Visibility and access"),
    ("How do I launch a team?", "teams.md", "Launch a team"),
    ("What are subteams?", "teams.md", "Subteams"),
    ("Who sees the log of a team?", "teams.md", "Who can see a team"),
];

#[test]
fn labelled_questions_find_their_passage() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let files = ["federation.md", "operate.md", "publish.md", "security.md", "teams.md", "use.md"];
    let passages: Vec<(&str, Passage)> = files
        .into_iter()
        .flat_map(|file| {
            let text = fs::read_to_string(docs.join(file)).unwrap();
            split_passages(file, &text).into_iter().map(move |passage| (file, passage))
        })
        .collect();
    let index = PassageIndex::build(passages.iter().map(|(_, passage)| passage.text.as_str())).unwrap();
    let is_found = |(question, file, heading): &(&str, &str, &str)| {
        let found = index.search(question, PASSAGES).unwrap();
        found
            .into_iter()
            .map(|position| &passages[position])
            .any(|(of, passage)| of == file && passage.place.split(" › ").any(|part| part == *heading))
    };
    let missed: Vec<_> = QUESTIONS.iter().filter(|question| !is_found(question)).collect();
    let recall = 1.0 - missed.len() as f64 / QUESTIONS.len() as f64;
    println!("recall@{PASSAGES}: {recall:.2} of {} passages, missed: {missed:?}", passages.len());
    assert!(recall >= 0.8, "recall@{PASSAGES} is {recall:.2}, missed: {missed:?}");
}
