//! Tests of `plexus chat`: chats from the command line.

use std::{
    path::Path,
    process::{Output, Stdio},
};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::{
    client::text_of,
    process::{Process, command, plexus, stderr, stdout},
};

/// Runs `plexus chat` and returns its output; it must succeed.
async fn chat(folder: &Path, arguments: &[&str]) -> Output {
    let output = plexus(folder, &[&["chat"], arguments].concat()).await;
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    output
}

/// Runs `plexus chat send` with a message on standard input.
async fn send_piped(folder: &Path, arguments: &[&str], text: &str) -> Output {
    let mut command = command(folder);
    command.args([&["chat", "send"], arguments].concat()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(text.as_bytes()).await.expect("it reads");
    drop(input);
    child.wait_with_output().await.expect("it ends")
}

/// Returns the id of the chat that `send` names.
fn id_in(output: &Output) -> String {
    let text = stderr(output);
    let (_, id) =
        text.lines().next().and_then(|line| line.rsplit_once("/chat/")).expect("a link to the chat");
    id.to_owned()
}

#[tokio::test]
async fn a_chat_lives_on_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut hub = Process::serve(at).await;
    let grace = hub.administrator("grace").await;
    assert_eq!(stdout(&chat(at, &["list"]).await), "No chats yet.\n");

    let sent = chat(at, &["send", "15% of 240", "--to", "@plexus/calc"]).await;
    assert!(stdout(&sent).contains("36") && stdout(&sent).ends_with('\n'), "{}", stdout(&sent));
    let id = id_in(&sent);
    let sent = chat(at, &["send", "2 ^ 10", "--chat", &id]).await;
    assert!(stdout(&sent).contains("1024"), "{}", stdout(&sent));
    let shown = stdout(&chat(at, &["show", &id]).await);
    assert!(shown.contains("grace:\n15% of 240\n\n@plexus/calc:\n") && shown.contains("1024"), "{shown}");

    chat(at, &["update", &id, "--title", "Sums", "--pinned", "true", "--folder", "School"]).await;
    let listed = stdout(&chat(at, &["list", "--folder", "School"]).await);
    assert!(listed.starts_with(&id) && listed.contains("Sums (pinned)"), "{listed}");
    let found = stdout(&chat(at, &["search", "240"]).await);
    assert!(found.contains(&id) && found.contains("grace: 15% of 240"), "{found}");
    let retried = stdout(&chat(at, &["retry", &id, "--json"]).await);
    let retried: Value = serde_json::from_str(&retried).expect("JSON");
    assert!(text_of(&retried[0]["parts"][0]["text"]).contains("1024"), "{retried:#}");

    let file = at.join("sums.md");
    chat(at, &["export", &id, "--output", file.to_str().expect("text")]).await;
    assert!(std::fs::read_to_string(&file).expect("the export").contains("# Sums"));
    let lines = stdout(&chat(at, &["export"]).await);
    let exported: Value = serde_json::from_str(lines.trim()).expect("one chat");
    assert_eq!(exported["title"], "Sums", "{exported}");
    let link = stdout(&chat(at, &["share", &id, "--days", "1"]).await);
    let path = link.trim().strip_prefix(&hub.origin).expect("a link to this hub").to_owned();
    grace.get(&path).await.says("15% of 240");

    chat(at, &["delete", &id]).await;
    assert_eq!(stdout(&chat(at, &["list"]).await), "No chats yet.\n");
    chat(at, &["restore", &id]).await;
    assert!(stdout(&chat(at, &["list"]).await).contains("Sums"));
    chat(at, &["delete", &id, "--permanently"]).await;
    let file = at.join("chats.jsonl");
    std::fs::write(&file, lines).expect("written");
    let imported = stdout(&chat(at, &["import", file.to_str().expect("text")]).await);
    assert!(imported.starts_with("1 imported, 0 already there."), "{imported}");
    hub.kill().await;
}

#[tokio::test]
async fn a_long_answer_arrives_whole_and_a_wrong_command_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut hub = Process::serve(at).await;
    let grace = hub.administrator("grace").await;
    let sheet: String = (1..=3_000).map(|line| format!("{line} + 0\n")).collect();
    let sent = send_piped(at, &["--to", "@plexus/calc", "--temporary"], &sheet).await;
    let opened = grace.api(&format!("/chats/{}", id_in(&sent))).await;
    let answer = text_of(&opened["messages"][1]["parts"][0]["text"]);
    assert_eq!(answer.matches(" + 0").count(), 3_000);
    assert_eq!(stdout(&sent), format!("{answer}\n"), "each byte once, in order");
    assert_eq!(opened["temporary"], true);
    assert_eq!(stdout(&chat(at, &["list"]).await), "No chats yet.\n");

    let note = at.join("note.txt");
    std::fs::write(&note, "Low tide at six.").expect("written");
    let sent =
        chat(at, &["send", "Read this", "--to", "@plexus/guide", "--file", note.to_str().expect("text")])
            .await;
    let shown = stdout(&chat(at, &["show", &id_in(&sent)]).await);
    assert!(shown.contains("File note.txt (16 bytes): /api/v1/blobs/"), "{shown}");

    for (arguments, words) in [
        (vec!["send", "x", "--to", "@no/one"], "@no/one"),
        (vec!["send", " "], "Write something first"),
        (vec!["send", "x", "--file", "missing.txt"], "missing.txt could not be read"),
        (vec!["show", "01a22242-b0e3-7b44-8c3f-56ee3380736a"], "not found"),
        (vec!["stop", &id_in(&sent)], "no answer of this chat is being written"),
        (
            vec!["approve", "01a22242-b0e3-7b44-8c3f-56ee3380736a", "--answer", "7"],
            "--answer must be a JSON object",
        ),
        (vec!["send", "x", "--hub", &hub.origin, "--token", "plx_wrong"], "token"),
    ] {
        let output = plexus(at, &[&["chat"], arguments.as_slice()].concat()).await;
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
    }
    let failed = plexus(at, &["chat", "send", "1 / 0 km +", "--to", "@plexus/calc", "--json"]).await;
    let answers: Value = serde_json::from_str(&stdout(&failed)).expect("JSON");
    let is_done = answers[0]["state"] == json!("done");
    assert_eq!(failed.status.code(), Some(if is_done { 0 } else { 3 }), "{answers:#}");
    hub.kill().await;
}
