//! Who sees what of a message, by kind of part. Everything that shows messages to readers applies it: pages, the API, exports,
//! live streams, share links and copies made from them.
//!
//! | part | requester of the run | owner of the chat | other members | share links and copies of them |
//! |---|---|---|---|---|
//! | text, data, file, link, reasoning | whole | whole | whole | whole |
//! | tool call, decided approval, answered question | whole | whole | tool and outcome | tool and outcome |
//! | open approval or question | whole, and decides it | tool | tool | tool |
//! | failure | whole | whole | without addresses | not shown |
//! | status line | whole | whole | without addresses | not shown |
//!
//! The name of a tool includes the address of its server for those that see the part as a whole. A part that is not seen as a
//! whole has `null` as arguments.

use plexus_domain::{
    Part, PartBody, PrincipalId,
    form_question::FormAnswer,
    part::{ApprovalDecision, ToolUse},
    run::Failure,
};
use plexus_store::members::{Member, MemberRole};
use serde_json::{Value, json};

use crate::views::MessageView;

/// A reader of messages of one chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    Member {
        principal: PrincipalId,
        is_owner: bool,
    },
    /// Reads by a share link, or gets a copy of what it shows.
    Public,
}

/// What a reader sees of the parts of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartAccess {
    /// Also decides open approvals.
    Requester,
    Owner,
    Other,
}

impl From<&Member> for Reader {
    fn from(member: &Member) -> Self {
        Self::Member { principal: member.principal, is_owner: member.role == MemberRole::Owner }
    }
}

impl Reader {
    /// Returns the access to a message. `author` wrote it; `requester` started its run.
    pub fn access(self, author: PrincipalId, requester: Option<PrincipalId>) -> PartAccess {
        match self {
            Self::Member { principal, .. } if author == principal || requester == Some(principal) => {
                PartAccess::Requester
            }
            Self::Member { is_owner: true, .. } => PartAccess::Owner,
            Self::Member { .. } | Self::Public => PartAccess::Other,
        }
    }

    /// Returns whether the message has something that the reader may not see.
    pub fn is_redacted(self, view: &MessageView) -> bool {
        let access = self.access_to(view);
        let open = view.open.iter().filter_map(|snapshot| snapshot.whole.as_ref());
        let hides_part = view.message.parts.iter().chain(open).any(|part| access.hides(&part.content));
        let has_line = view.status.is_some() || view.run.as_ref().is_some_and(|run| run.failure.is_some());
        hides_part || (access == PartAccess::Other && has_line)
    }

    fn access_to(self, view: &MessageView) -> PartAccess {
        self.access(view.message.author, view.run.as_ref().map(|run| run.caller))
    }

    /// Removes from a message what the reader may not see.
    pub fn redact(self, view: &mut MessageView) {
        let access = self.access_to(view);
        let open = view.open.iter_mut().filter_map(|snapshot| snapshot.whole.as_mut());
        view.message.parts.iter_mut().chain(open).for_each(|part| access.redact(part));
        if access == PartAccess::Other {
            view.status = view.status.take().map(|line| without_addresses(&line));
            if let Some(failure) = view.run.as_mut().and_then(|run| run.failure.as_mut()) {
                redact_failure(failure);
            }
        }
    }
}

impl PartAccess {
    const fn hides(self, content: &PartBody) -> bool {
        let is_open = match content {
            PartBody::Text { .. }
            | PartBody::Data { .. }
            | PartBody::File { .. }
            | PartBody::Link { .. }
            | PartBody::Reasoning { .. } => return false,
            PartBody::Tool(_) => false,
            PartBody::Approval { decision, .. } => decision.is_none(),
            PartBody::Question { answer, .. } => answer.is_none(),
        };
        match self {
            Self::Requester => false,
            Self::Owner => is_open,
            Self::Other => true,
        }
    }

    /// Removes from a part what a reader with this access may not see.
    pub fn redact(self, part: &mut Part) {
        if !self.hides(&part.content) {
            return;
        }
        match &mut part.content {
            PartBody::Text { .. }
            | PartBody::Data { .. }
            | PartBody::File { .. }
            | PartBody::Link { .. }
            | PartBody::Reasoning { .. } => {}
            PartBody::Tool(call) => redact_call(call),
            PartBody::Approval { tool, arguments, .. } => {
                *tool = bare_name(tool);
                *arguments = Value::Null;
            }
            PartBody::Question { approval, tool, answer, .. } => {
                let decision = answer.as_ref().map(|answer| match answer {
                    FormAnswer::Given { .. } => ApprovalDecision::Allowed,
                    FormAnswer::Declined => ApprovalDecision::Refused,
                    FormAnswer::Unanswered => ApprovalDecision::Unanswered,
                });
                let (approval, tool) = (*approval, bare_name(tool));
                part.content = PartBody::Approval { approval, tool, arguments: Value::Null, decision };
            }
        }
    }
}

fn redact_call(call: &mut ToolUse) {
    call.tool = bare_name(&call.tool);
    call.arguments = Value::Null;
    call.result = call.result.take().map(|result| match result.get("error") {
        Some(_) => json!({ "error": null }),
        None => Value::Null,
    });
}

/// Returns the name of a tool without its server.
fn bare_name(tool: &str) -> String {
    tool.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Removes addresses from the message of a failure.
pub(crate) fn redact_failure(failure: &mut Failure) {
    failure.message = without_addresses(&failure.message);
}

/// Replaces the words of a text that contain an address: URLs, IP addresses, and names of machines.
pub(crate) fn without_addresses(text: &str) -> String {
    let word = |word: &str| match is_address(word) {
        true => "…".to_owned(),
        false => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn is_address(word: &str) -> bool {
    let word =
        word.trim_matches(|c: char| !c.is_alphanumeric() && c != '[' && c != ']' && c != ':' && c != '@');
    let word = word.trim_end_matches([':', '.', ',']);
    if word.contains("://") || (word.contains('[') && word.contains(':')) {
        return true;
    }
    // An agent's address names no machine unless it has a hub, which is public.
    if word.starts_with('@') {
        return false;
    }
    let (host, port) = word.rsplit_once(':').unwrap_or((word, ""));
    let has_port = !port.is_empty() && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    if has_port && !host.is_empty() && host.bytes().all(is_host_byte) {
        return true;
    }
    if word.parse::<std::net::IpAddr>().is_ok() {
        return true;
    }
    let name = word.split(['/', ':']).next().unwrap_or_default();
    let mut labels = name.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let is_name = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    labels.next().is_some_and(|label| !label.is_empty()) && is_name && name.bytes().all(is_host_byte)
        || name.parse::<std::net::IpAddr>().is_ok()
}

const fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use plexus_domain::{ApprovalId, Timestamp, form_question::FormQuestion};

    use super::*;

    fn id() -> ApprovalId {
        ApprovalId::new(Timestamp::from_millis(1), &[1; 10])
    }

    /// Every kind of part that a tool takes part in, with `SECRET` wherever one may be.
    fn parts() -> Vec<PartBody> {
        let call = |result| {
            PartBody::Tool(ToolUse {
                tool: "tools.internal:9/ask".to_owned(),
                arguments: json!({ "SECRET": "SECRET" }),
                result,
                took_ms: Some(1),
                call_id: None,
            })
        };
        let approval = |decision| PartBody::Approval {
            approval: id(),
            tool: "tools.internal:9/ask".to_owned(),
            arguments: json!({ "a": ["SECRET"] }),
            decision,
        };
        let question = |answer| PartBody::Question {
            approval: id(),
            tool: "tools.internal:9/ask".to_owned(),
            question: FormQuestion { message: "SECRET?".to_owned(), inputs: Vec::new() },
            answer,
        };
        let values = json!({ "account": "SECRET" }).as_object().cloned().unwrap();
        vec![
            call(None),
            call(Some(json!("SECRET"))),
            call(Some(json!({ "error": "SECRET" }))),
            approval(Some(ApprovalDecision::Allowed)),
            question(Some(FormAnswer::Given { values })),
            question(Some(FormAnswer::Declined)),
            approval(None),
            question(None),
        ]
    }

    #[test]
    fn only_the_requester_and_the_owner_see_what_was_told_to_tools() {
        for (number, body) in parts().into_iter().enumerate() {
            let is_open = number >= 6;
            for (access, is_whole) in
                [(PartAccess::Requester, true), (PartAccess::Owner, !is_open), (PartAccess::Other, false)]
            {
                let mut part = Part::from(body.clone());
                access.redact(&mut part);
                let text = serde_json::to_string(&part).unwrap();
                assert_eq!(part.content == body, is_whole, "{access:?} {text}");
                let leaks = text.contains("SECRET") || text.contains("internal");
                assert_eq!(leaks, is_whole, "{access:?} {text}");
                assert!(text.contains("ask"), "{text}");
            }
        }
    }

    #[test]
    fn addresses_are_removed_and_other_words_stay() {
        for (text, redacted) in [
            ("http://10.0.0.7:8080/v1 refused the connection.", "… refused the connection."),
            ("The server at models.corp.internal did not answer.", "The server at … did not answer."),
            ("tcp connect error (127.0.0.1:11434): refused", "tcp connect error … refused"),
            ("[::1]:9000 is closed", "… is closed"),
            ("::1 is closed", "… is closed"),
            ("localhost:9000, db:5432", "… …"),
            ("error at 192.168.1.2.", "error at …"),
            (
                "@grace/clerk may answer 3.5 times. Ask again at 12, e.g. later.",
                "@grace/clerk may answer 3.5 times. Ask again at 12, e.g. later.",
            ),
            ("The agent has answered 2 of 2 times today.", "The agent has answered 2 of 2 times today."),
        ] {
            assert_eq!(without_addresses(text), redacted);
        }
    }
}
