//! Recall of [`PassageIndex`] and [`VectorIndex`] on labelled questions about the documentation of this repository.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
};

use plexus_domain::knowledge::{Passage, split_passages};
use plexus_search::{PassageIndex, VectorIndex, fuse_ranks};
use serde_json::{Value, json};

/// Number of passages that a model gets.
const PASSAGES: usize = 5;
/// Number of passages of each ranking that are joined.
const CANDIDATES: usize = 50;
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

/// Questions in other words than those of the documentation.
const PARAPHRASES: [(&str, &str, &str); 12] = [
    ("How can I save a copy of everything in case the disk dies?", "operate.md", "Back up"),
    ("I changed servers. What do I copy to the new computer?", "operate.md", "Move to another machine"),
    ("Is there a dashboard for CPU, latency and errors?", "operate.md", "Monitoring"),
    ("What happens after the power fails in the middle of writing?", "operate.md", "Crash recovery"),
    ("How do I stop the LLM bill from exploding?", "operate.md", "Usage and budget"),
    ("Can strangers create accounts on my server?", "operate.md", "Registration"),
    ("My server has no public IP address. Can partners still reach it?", "federation.md", "Hubs behind NAT"),
    ("How do I ban a misbehaving server?", "federation.md", "Block hubs and agents"),
    ("How do I show that I control the domain?", "publish.md", "Verify an origin"),
    ("Can the bot answer from my handbook?", "publish.md", "Knowledge"),
    ("How do I roll back to older instructions?", "publish.md", "Versions"),
    ("How can I bring my conversations over from ChatGPT?", "use.md", "Import chats"),
];

type Question = (&'static str, &'static str, &'static str);

/// Splits the documentation into passages, each with its file.
fn passages() -> Vec<(&'static str, Passage)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let files = ["federation.md", "operate.md", "publish.md", "security.md", "teams.md", "use.md"];
    let split = |file| {
        let text = fs::read_to_string(docs.join(file)).unwrap();
        split_passages(file, &text).into_iter().map(move |passage| (file, passage))
    };
    files.into_iter().flat_map(split).collect()
}

/// Prints and returns the share of the questions for which `search` finds a passage that answers them.
fn recall(
    what: &str,
    questions: &[Question],
    passages: &[(&str, Passage)],
    search: impl Fn(&str) -> Vec<usize>,
) -> f64 {
    let is_found = |(question, file, heading): &Question| {
        search(question)
            .into_iter()
            .map(|position| &passages[position])
            .any(|(of, passage)| of == file && passage.place.split(" › ").any(|part| part == *heading))
    };
    let missed: Vec<_> = questions.iter().filter(|question| !is_found(question)).collect();
    let recall = 1.0 - missed.len() as f64 / questions.len() as f64;
    println!("{what}: recall@{PASSAGES} {recall:.2} of {} passages, missed: {missed:?}", passages.len());
    recall
}

#[test]
fn labelled_questions_find_their_passage() {
    let passages = passages();
    let index = PassageIndex::build(passages.iter().map(|(_, passage)| passage.text.as_str())).unwrap();
    let recall = recall("words", &QUESTIONS, &passages, |question| index.search(question, PASSAGES).unwrap());
    assert!(recall >= 0.8, "recall@{PASSAGES} is {recall:.2}");
}

/// Measures words, vectors, and both joined, on an embeddings server (docs/benchmarks.md).
#[test]
#[ignore = "needs an embeddings server: tests/agents/model/embeddings.py"]
fn recall_with_vectors() {
    let server =
        std::env::var("PLEXUS_TEST_EMBEDDINGS").expect("PLEXUS_TEST_EMBEDDINGS has the host and port");
    let passages = passages();
    let texts: Vec<&str> = passages.iter().map(|(_, passage)| passage.text.as_str()).collect();
    let index = PassageIndex::build(texts.iter().copied()).unwrap();
    let stored: Vec<Vec<f32>> = texts.chunks(16).flat_map(|texts| embed(&server, texts)).collect();
    let vectors = VectorIndex::build(stored.iter().map(Vec::as_slice).enumerate());
    let by_words = |question: &str| index.search(question, CANDIDATES).unwrap();
    let by_vector = |question: &str| vectors.nearest(&embed(&server, &[question])[0], CANDIDATES);
    for (name, questions) in [("labelled", &QUESTIONS[..]), ("paraphrased", &PARAPHRASES)] {
        let first = |mut found: Vec<usize>| {
            found.truncate(PASSAGES);
            found
        };
        let words = recall(&format!("{name}, words"), questions, &passages, |text| first(by_words(text)));
        recall(&format!("{name}, vectors"), questions, &passages, |text| first(by_vector(text)));
        let both = recall(&format!("{name}, both"), questions, &passages, |text| {
            fuse_ranks(&[by_words(text), by_vector(text)], PASSAGES)
        });
        assert!(both + 0.1 >= words, "vectors do harm: {both:.2} instead of {words:.2}");
    }
}

/// Calls `POST /v1/embeddings`.
fn embed(server: &str, texts: &[&str]) -> Vec<Vec<f32>> {
    let body = json!({ "model": "all-minilm-l6-v2", "input": texts }).to_string();
    let mut stream = TcpStream::connect(server).expect("the server listens");
    write!(stream, "POST /v1/embeddings HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    let body: Value = serde_json::from_str(body).expect("JSON");
    let vector = |entry: &Value| serde_json::from_value(entry["embedding"].clone()).expect("numbers");
    body["data"].as_array().expect("vectors").iter().map(vector).collect()
}
