//! Hands a question over to another agent of the chat that an answer mentions. A person decides each time, so that agents
//! cannot ask each other in a loop.

use plexus_domain::{
    Address, Error as Refusal, MessageId, Part, PrincipalId,
    chat::ChatKind,
    message::{Message, MessageState},
};
use plexus_runtime::builtin::is_offer;
use plexus_store::{Conn, chats, members, messages};

use super::{
    NewMessage, Sent,
    agent_members::{AgentMember, agent_members},
    check_may_post, membership_or,
    mentions::{read_people, without_mentions},
    send::{MessagePosition, send_with_files},
};
use crate::{
    Caller, Hub, Result,
    agents::resolve_callable,
    caller::{Requester, Scope},
};

/// Maximum number of agents that are offered for one answer.
const MAX_OFFERS: usize = 3;
/// Maximum number of `@` that are read in one answer.
const MAX_MENTIONS: usize = 50;

/// Returns the addresses in an answer, without repetitions; none in one that offers agents by itself.
pub(crate) fn addresses_in(parts: &[Part]) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    if parts.iter().any(is_offer) {
        return found;
    }
    let texts = parts.iter().filter_map(Part::as_text);
    let places = texts.flat_map(|text| text.match_indices('@').map(move |(at, _)| (text, at)));
    for (text, at) in places.take(MAX_MENTIONS) {
        if let Some(address) = address_at(text, at).filter(|address| !found.contains(address)) {
            found.push(address);
        }
    }
    found
}

/// Returns the address that begins at the `@` at byte `at`, unless that is within a word, as in an e-mail address.
fn address_at(text: &str, at: usize) -> Option<Address> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "@/._-:".contains(c);
    if text[..at].chars().next_back().is_some_and(is_part) {
        return None;
    }
    let rest = &text[at..];
    let word = &rest[..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())];
    Address::split_mention(word).map(|(address, _)| address)
}

/// Returns the agents among `members` that an answer of `author` mentions.
pub(crate) fn mentioned_agents(
    members: &[AgentMember],
    author: PrincipalId,
    addresses: Vec<Address>,
) -> Vec<Address> {
    let is_other =
        |address: &Address| members.iter().any(|it| it.principal != author && it.address == *address);
    addresses.into_iter().filter(is_other).take(MAX_OFFERS).collect()
}

/// Returns the agents that a finished answer in a chat mentions.
pub(crate) async fn mentioned_by(
    conn: &mut Conn,
    chat: &chats::Chat,
    answer: &Message,
) -> Result<Vec<Address>> {
    if !matches!(chat.kind, ChatKind::Direct | ChatKind::Room) || !is_answer(answer) {
        return Ok(Vec::new());
    }
    let addresses = addresses_in(&answer.parts);
    if addresses.is_empty() {
        return Ok(addresses);
    }
    let members = agent_members(conn, chat.id).await?;
    Ok(mentioned_agents(&members, answer.author, addresses))
}

/// Returns whether a message is a finished answer of an agent.
pub(crate) fn is_answer(message: &Message) -> bool {
    message.lane > 0 && message.run.is_some() && message.state == MessageState::Done
}

/// Sends the question of an answer to another agent of the chat, which the answer mentions: its text and its files. The
/// agent sees the conversation as for any message.
pub async fn hand_over(hub: &Hub, caller: &Caller, answer: MessageId, to: &Address) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    let gone = || Refusal::not_found("Answer not found.");
    let mut conn = hub.store().snapshot().await?;
    let header = messages::find(&mut conn, answer).await?.ok_or_else(gone)?;
    let member = membership_or(&mut conn, person, header.chat, gone).await?;
    check_may_post(&member)?;
    let chat = chats::find(&mut conn, header.chat).await?.ok_or_else(gone)?;
    let message = messages::load(&mut conn, &[answer]).await?.pop().ok_or_else(gone)?;
    if !mentioned_by(&mut conn, &chat, &message).await?.contains(to) {
        return Err(Refusal::invalid("to", format!("The answer does not mention {to} of this chat.")).into());
    }
    resolve_callable(&mut conn, &Requester::from(person), to).await?;
    let question = message.parent.ok_or_else(gone)?;
    let asked = messages::load(&mut conn, &[question]).await?.pop().ok_or_else(gone)?;
    let text = question_text(&mut conn, &chat, &asked).await?;
    drop(conn);
    let new = NewMessage {
        id: hub.env().id(MessageId::new),
        position: MessagePosition::After {
            parent: Some(answer),
            // In a room all people see one branch, so the message goes to its end.
            may_fork: chat.kind != ChatKind::Room,
        },
        text: format!("{to} {text}").trim_end().to_owned(),
        uploads: Vec::new(),
    };
    send_with_files(hub, caller, chat.id, new, Some(question)).await
}

/// Returns the text of a question without the people and agents that it is addressed to.
async fn question_text(conn: &mut Conn, chat: &chats::Chat, question: &Message) -> Result<String> {
    let texts: Vec<&str> = question.parts.iter().filter_map(Part::as_text).collect();
    let text = texts.join("\n\n");
    let people = members::list_people(conn, chat.id).await?;
    let (_, rest) = read_people(&people, &text);
    let agents: Vec<Address> =
        agent_members(conn, chat.id).await?.into_iter().map(|member| member.address).collect();
    Ok(without_mentions(conn, &agents, rest).await?.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        addresses_in(&[Part::text(text)]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn addresses_are_found_within_sentences_and_markdown() {
        assert_eq!(
            found("Ask @plexus/calc, or **@ada/x@hub.example**."),
            ["@plexus/calc", "@ada/x@hub.example"]
        );
        assert_eq!(found("请问@plexus/calc。"), ["@plexus/calc"]);
        assert_eq!(found("(`@plexus/calc`) and @plexus/calc: again"), ["@plexus/calc"]);
        for text in
            ["", "@", "@ada", "mail ada@plexus/calc now", "https://x.example/@plexus/calc", "@plexus/"]
        {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
        let many: String = (0..500).map(|n| format!("@ada/x{n} ")).collect();
        assert_eq!(found(&many).len(), MAX_MENTIONS);
    }

    #[test]
    fn an_answer_with_offers_of_its_own_gets_no_more() {
        let offer: Part = plexus_domain::PartBody::Data { data: json!({ "action": "continue_with" }) }.into();
        assert_eq!(addresses_in(&[Part::text("@plexus/calc"), offer]), []);
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn addresses_are_found_in_linear_time() {
        plexus_testing::cost::assert_linear("addresses", |text| addresses_in(&[Part::text(text)]));
    }
}
