//! Tests with shell scripts that read and write the protocol literally.

use std::{path::Path, process::Command, time::Duration};

use plexus_domain::{PartBody, part::ApprovalDecision, run::FailureClass};
use serde_json::json;

use super::*;
use crate::{
    ApprovalPolicy, ConnectorLimits, ConversationTurn as Said, RemoteConversation, TurnRole, run_connector,
    testing::{Answers, Recorder, ask, person, run_until_first_word},
};

/// Prefix of every script: functions for the protocol messages, and the handshake.
const PREAMBLE: &str = r#"
say() { printf '%s\n' "$1"; }
update() { say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":$1}}"; }
text() { update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}}"; }
end() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{\"stopReason\":\"$2\"}}"; }
read -r hello; say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read -r new; say '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
"#;

fn launcher(script: String) -> Launcher {
    Arc::new(move || {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]);
        Ok(ProcessSpec::new(command, "/"))
    })
}

fn agent(script: &str) -> AcpConnector {
    agent_among(&AcpSessionPool::new(4), script)
}

fn agent_among(sessions: &AcpSessionPool, script: &str) -> AcpConnector {
    AcpConnector::new(sessions.clone(), "test", launcher(format!("{PREAMBLE}{script}")))
}

async fn hear(agent: &AcpConnector, request: RunRequest) -> (Result<RunEnd, Failure>, Recorder) {
    let mut heard = Recorder::default();
    let end = run_connector(agent, request, &mut heard, &CancellationToken::new()).await;
    (end, heard)
}

/// Returns the message that follows the answer in `heard`.
fn next(heard: &Recorder, question: &str) -> RunRequest {
    let me = Said { speaker: TurnRole::Me, ..person(&heard.text) };
    let turns = vec![person("First"), me, person(question)];
    RunRequest { turns, remote: heard.remote.clone(), ..ask("") }
}

fn class(end: Result<RunEnd, Failure>) -> (FailureClass, String) {
    let failure = end.unwrap_err();
    (failure.class, failure.message)
}

#[tokio::test]
async fn an_answer_comes_as_text_thoughts_tools_and_a_plan() {
    let agent = agent(
        r#"
        read -r prompt
        update '{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}}'
        update '{"sessionUpdate":"plan","entries":[{"content":"Look","priority":"high","status":"completed"},{"content":"Tell","priority":"high","status":"in_progress"}]}'
        update '{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read it","rawInput":{"path":"a"}}'
        update '{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","rawOutput":{"n":1}}'
        update '{"sessionUpdate":"tool_call","toolCallId":"u","title":"Delete it"}'
        say '{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"u"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}'
        read -r leave
        case "$leave" in *'"id":"p","result":{"outcome":{"outcome":"selected","optionId":"no"}}'*) text declined;; esac
        say '{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/etc/passwd"}}'
        read -r file
        case "$file" in *'"id":9,"error":{"code":-32601'*) text ', not offered';; esac
        end 3 end_turn; read -r more"#,
    );
    let (end, heard) = hear(&agent, ask("Hi")).await;
    assert_eq!(end, Ok(RunEnd::Completed));
    assert_eq!(heard.text, "declined, not offered");
    let [thought, tool, open] = heard.parts.as_slice() else { panic!("{:?}", heard.parts) };
    assert_eq!(thought.content, PartBody::Reasoning { text: "Hm".to_owned() });
    let PartBody::Tool(used) = &tool.content else { panic!("{tool:?}") };
    assert_eq!((used.tool.as_str(), &used.arguments), ("Read it", &json!({"path": "a"})));
    assert_eq!(used.result, Some(json!({"n": 1})));
    assert!(used.took_ms.is_some());
    let PartBody::Tool(open) = &open.content else { panic!("{open:?}") };
    assert_eq!((open.tool.as_str(), &open.result), ("Delete it", &None));
    let status = heard.status.join("; ");
    assert_eq!(
        status,
        "Starting the program; Thinking; 1 of 2 steps done: Tell; Using Read it; Using Delete it"
    );
}

#[tokio::test]
async fn what_a_program_wants_to_do_is_put_to_the_person() {
    let asking = r#"
        read -r prompt
        update '{"sessionUpdate":"tool_call","toolCallId":"u","title":"Delete it","rawInput":{"path":"/"}}'
        say '{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"u"},"options":[{"optionId":"ever","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}'
        read -r leave
        case "$leave" in *'"optionId":"yes"'*) text deleted;; *'"optionId":"no"'*) text kept;; *) text "$leave";; esac
        end 3 end_turn; read -r more"#;
    for (decision, words) in [
        (ApprovalDecision::Allowed, "deleted"),
        (ApprovalDecision::Refused, "kept"),
        (ApprovalDecision::Unanswered, "kept"),
    ] {
        let approval_policy = ApprovalPolicy::of(Arc::new(Answers(Some(decision))), false);
        let (end, heard) = hear(&agent(asking), RunRequest { approval_policy, ..ask("Hi") }).await;
        assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), words));
        let PartBody::Approval { tool, arguments, decision: shown, .. } = &heard.parts[0].content else {
            panic!("{:?}", heard.parts)
        };
        assert_eq!(
            (tool.as_str(), arguments, *shown),
            ("Delete it", &json!({ "path": "/" }), Some(decision))
        );
    }
}

#[tokio::test]
async fn a_program_that_waits_for_an_answer_between_two_questions_is_started_anew() {
    let agent = agent(
        r#"read -r prompt; text $$
        ended='{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'
        asks='{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}'
        printf '%s\n%s\n' "$ended" "$asks"; read -r more"#,
    );
    let (_, first) = hear(&agent, ask("First")).await;
    let (end, second) = hear(&agent, next(&first, "Second")).await;
    assert_eq!(end, Ok(RunEnd::Completed));
    assert!(first.text != second.text, "{}", second.text);
}

/// For each prompt, answers with its process id and whether the prompt contained the earlier conversation.
const FAITHFUL: &str = r#"
    id=3
    while read -r prompt; do
        case "$prompt" in *'said before'*) text "$$ told";; *) text "$$ asked";; esac
        end $id end_turn; id=$((id + 1))
    done"#;

#[tokio::test]
async fn a_session_stays_for_the_next_message_and_a_new_one_is_told_what_was_said() {
    let agent = agent(FAITHFUL);
    let (_, first) = hear(&agent, ask("First")).await;
    let (_, second) = hear(&agent, next(&first, "Second")).await;
    assert_eq!(second.text, first.text, "the same process, asked only what is new");
    assert!(first.text.ends_with(" asked"));
    assert_eq!(second.remote, first.remote);

    let unknown = Some(RemoteConversation { task: None, context: Some("gone".to_owned()) });
    let (_, third) = hear(&agent, RunRequest { remote: unknown, ..next(&first, "Third") }).await;
    assert!(third.text.ends_with(" told"), "{}", third.text);
    let other =
        AcpConnector::new(agent.sessions.clone(), "another agent", launcher(format!("{PREAMBLE}{FAITHFUL}")));
    let (_, fourth) = hear(&other, next(&first, "Fourth")).await;
    assert!(fourth.text.ends_with(" told"), "a session is found only by whose it is");
}

#[tokio::test]
async fn a_program_that_dies_is_named_and_started_anew() {
    let agent = agent(r#"read -r prompt; text "Half an"; echo 'out of ideas' >&2; exit 3"#);
    let (end, heard) = hear(&agent, ask("Hi")).await;
    let (class, words) = class(end);
    assert_eq!((class, heard.text.as_str()), (FailureClass::Unreachable, "Half an"));
    assert!(words.contains("ended with exit code 3 in the middle of its answer"), "{words}");
    assert!(!words.contains("ideas"), "what it complains of is for the operator: {words}");
    let (_, again) = hear(&agent, next(&heard, "Again")).await;
    assert_eq!(again.text, "Half an");
}

#[tokio::test]
async fn a_program_that_died_while_it_waited_is_started_anew() {
    let once = r#"read -r prompt; case "$prompt" in *'said before'*) text told;; *) text asked;; esac; end 3 end_turn"#;
    let agent = agent(once);
    let (_, first) = hear(&agent, ask("First")).await;
    let gone = async {
        while agent.sessions.take(&key(&first)).is_some_and(|mut held| held.session.drain()) {
            tokio::task::yield_now().await;
        }
    };
    gone.await;
    let (end, second) = hear(&agent, next(&first, "Second")).await;
    assert_eq!((end, second.text.as_str()), (Ok(RunEnd::Completed), "told"));
}

fn key(heard: &Recorder) -> SessionKey {
    let context = heard.remote.as_ref().unwrap().context.clone().unwrap();
    SessionKey { scope: "test".to_owned(), context }
}

#[tokio::test]
async fn what_cannot_be_started_says_so() {
    let missing: Launcher = Arc::new(|| Ok(ProcessSpec::new(Command::new("/no/such/program"), "/")));
    let agent = AcpConnector::new(AcpSessionPool::new(1), "test", missing);
    let (class, words) = class(hear(&agent, ask("Hi")).await.0);
    assert_eq!(class, FailureClass::Unreachable);
    assert!(words.starts_with("/no/such/program cannot be started: No such file"), "{words}");

    let silent = AcpConnector::new(AcpSessionPool::new(1), "test", launcher("exit 7".to_owned()));
    let (_, words) = self::class(hear(&silent, ask("Hi")).await.0);
    assert!(words.contains("ended with exit code 7 before it was ready"), "{words}");
}

#[tokio::test]
async fn junk_is_passed_over_and_a_flood_of_it_ends_the_program() {
    let junk = r"say 'Loading …'; say '{}'; say '[1]'; printf '\377\000\n'";
    let heard =
        hear(&agent(&format!("read -r prompt; {junk}; text Hello; {junk}; end 3 end_turn")), ask("Hi")).await;
    assert_eq!((heard.0, heard.1.text.as_str()), (Ok(RunEnd::Completed), "Hello"));

    for flood in ["yes", "exec tr '\\000' x </dev/zero"] {
        let (class, words) = class(hear(&agent(&format!("read -r prompt; {flood}")), ask("Hi")).await.0);
        assert_eq!(class, FailureClass::Garbage, "{flood}: {words}");
    }
}

#[tokio::test]
async fn an_answer_of_another_shape_is_no_answer() {
    let (class, words) = class(hear(&agent("read -r prompt; end 3 somehow"), ask("Hi")).await.0);
    assert_eq!(
        (class, words.as_str()),
        (FailureClass::Garbage, "The agent program sent an invalid response to session/prompt.")
    );
    let refusing =
        r#"read -r prompt; say '{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Sign in"}}'"#;
    let (class, words) = self::class(hear(&agent(refusing), ask("Hi")).await.0);
    assert_eq!(class, FailureClass::Refused);
    assert!(words.contains("requires sign-in"), "{words}");
    let (class, _) = self::class(hear(&agent("read -r prompt; end 3 max_turn_requests"), ask("Hi")).await.0);
    assert_eq!(class, FailureClass::Budget);
    let refused = hear(&agent("read -r prompt; end 3 refusal"), ask("Hi")).await.0;
    assert!(matches!(refused, Ok(RunEnd::Rejected { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_stop_reaches_the_program_and_its_session_goes_on() {
    let agent = agent(
        r#"
        id=3
        while read -r prompt; do
            text "$$"
            read -r cancel
            case "$cancel" in *'"method":"session/cancel"'*) end $id cancelled;; esac
            id=$((id + 1))
        done"#,
    );
    let (end, first) = run_until_first_word(&agent, ask("First")).await;
    assert_eq!(end, Ok(RunEnd::Stopped));
    let (end, second) = run_until_first_word(&agent, next(&first, "Second")).await;
    assert_eq!((end, second.text), (Ok(RunEnd::Stopped), first.text));
}

#[tokio::test]
async fn a_silent_program_is_not_waited_for_for_ever() {
    let limit = Duration::from_millis(300);
    let request = RunRequest {
        limits: ConnectorLimits { idle: limit, whole: limit * 2, ..ConnectorLimits::default() },
        ..ask("Hi")
    };
    let (class, words) = class(hear(&agent("read -r prompt; sleep 1000"), request).await.0);
    assert_eq!(class, FailureClass::TimedOut);
    assert!(words.contains("0.6 s"), "{words}");
}

#[tokio::test]
async fn all_that_a_program_started_ends_with_it() {
    let script = r#"sleep 1000 & child=$!; read -r prompt; text "$child"; end 3 end_turn; read -r more"#;
    let agent = agent(script);
    let (_, heard) = hear(&agent, ask("Hi")).await;
    let proc = format!("/proc/{}/comm", heard.text);
    assert!(Path::new(&proc).exists());
    agent.sessions.close();
    // A terminated process that was not reaped yet is a zombie ("Z"). A process that is still terminating is
    // not.
    let ends = async {
        while std::fs::read_to_string(format!("/proc/{}/stat", heard.text))
            .is_ok_and(|stat| !stat.contains(") Z "))
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), ends).await.unwrap();
}

#[tokio::test]
async fn one_more_program_takes_the_place_of_one_that_waits_or_waits_itself() {
    let sessions = AcpSessionPool::new(1);
    let agent = agent_among(&sessions, FAITHFUL);
    let (_, first) = hear(&agent, ask("One")).await;
    let run = "0191b2c4-0000-7000-8000-000000000001".parse().unwrap();
    let (end, second) = hear(&agent, RunRequest { run, ..ask("Two") }).await;
    assert_eq!(end, Ok(RunEnd::Completed));
    assert_ne!(first.text, second.text);
    assert!(sessions.take(&key(&first)).is_none(), "it has given up its place");

    let busy = sessions.take(&key(&second)).unwrap();
    let limits = ConnectorLimits { whole: Duration::from_millis(200), ..ConnectorLimits::default() };
    let (end, heard) = hear(&agent, RunRequest { limits, ..ask("Three") }).await;
    assert_eq!(class(end).0, FailureClass::TimedOut);
    assert_eq!(heard.status, ["Queued: the limit of 1 running programs is reached"]);
    drop(busy);
}

#[tokio::test]
async fn an_error_keeps_the_details_in_its_data() {
    for (data, words) in [
        (
            r#"{"details":"Claude Code process exited with code 1"}"#,
            "Internal error: Claude Code process exited with code 1",
        ),
        (r#""No key""#, "Internal error: No key"),
        (r#"{"error":{"message":"No key"}}"#, "Internal error: No key"),
        ("null", "Internal error"),
    ] {
        let script = format!(
            r#"read -r prompt; say '{{"jsonrpc":"2.0","id":3,"error":{{"code":-32603,"message":"Internal error","data":{data}}}}}'"#
        );
        let (class, message) = class(hear(&agent(&script), ask("Hi")).await.0);
        let expected = format!("The agent program answered session/prompt with an error: {words} (-32603)");
        assert_eq!((class, message), (FailureClass::Refused, expected));
    }
}
