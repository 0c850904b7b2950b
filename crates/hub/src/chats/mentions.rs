//! Resolves the @-mentions of a message to the agents that answer it.

use std::cmp::Reverse;

use plexus_domain::{
    Address, Error as Refusal, HubRowId, MessageId, PrincipalId,
    message::{TreeNode, path},
};
use plexus_store::{
    Conn, agents as agent_rows, hubs, members::ChatPerson, messages::MessageHeader, namespaces,
};

use crate::{
    Error, Result,
    agents::{self, ResolvedAgent},
    caller::Requester,
};

/// Maximum number of recipients; more is a mistake or an attack.
const MAX_ITEMS: usize = 8;
/// Agents of the same name, of other owners, that are compared with an unknown address.
const MAX_CANDIDATES: i64 = 50;
/// Edits (Damerau-Levenshtein) between an unknown address and one that is suggested for it.
const MAX_DISTANCE: usize = 3;
const MAX_SUGGESTIONS: usize = 3;
/// Maximum number of mentions at the start of a message, repetitions included: each costs look-ups.
const MAX_MENTIONS: usize = 64;

/// Reads the mentions at the start of a message of a chat, and returns their agents and the rest of the text.
///
/// A word is a mention if the requester sees an agent at this address, or if the hub of a full address is known. A word
/// that is nearly one is refused with the near addresses: the message would go to another agent. Any other word is text,
/// such as the name of a package. Calls that name their agent do not read mentions.
pub(super) async fn read<'t>(
    conn: &mut Conn,
    requester: &Requester,
    text: &'t str,
) -> Result<(Vec<ResolvedAgent>, &'t str)> {
    let mut found: Vec<ResolvedAgent> = Vec::new();
    let mut rest = text;
    let mut count = 0;
    while let Some((address, after)) = Address::split_mention(rest) {
        count += 1;
        if count > MAX_MENTIONS {
            let words = format!("A message begins with {MAX_MENTIONS} mentions at most.");
            return Err(Refusal::invalid("text", words).into());
        }
        let reached = match agents::resolve_callable(conn, requester, &address).await {
            Err(Error::Refused(Refusal::Invalid { .. })) if !is_at_known_hub(conn, &address).await? => {
                check_is_text(conn, requester, &address).await?;
                break;
            }
            reached => reached?,
        };
        if !found.iter().any(|known| known.agent.id == reached.agent.id) {
            found.push(reached);
        }
        if found.len() > MAX_ITEMS {
            let words = format!("A message can go to {MAX_ITEMS} agents at most.");
            return Err(Refusal::invalid("text", words).into());
        }
        rest = after;
    }
    Ok((found, rest))
}

/// Refuses an address whose owner exists here, or that is near the address of an agent that the requester sees.
async fn check_is_text(conn: &mut Conn, requester: &Requester, address: &Address) -> Result<()> {
    if address.hub.is_some() {
        return Ok(());
    }
    let owner = namespaces::by_name(conn, &address.owner).await?;
    let candidates = match &owner {
        Some(owner) => agent_rows::list_by_namespace(conn, owner.id).await?,
        None => {
            let (home, most) = (HubRowId::SELF, MAX_CANDIDATES);
            agent_rows::list_by_name(conn, home, &address.name, requester.principal, most).await?
        }
    };
    let wanted = address.to_string();
    let mut near = Vec::new();
    for agent in candidates {
        let known = agent.address();
        let distance = strsim::damerau_levenshtein(&wanted, &known.to_string());
        if distance <= MAX_DISTANCE && agents::resolve_callable(conn, requester, &known).await.is_ok() {
            near.push((distance, known.to_string()));
        }
    }
    if owner.is_none() && near.is_empty() {
        return Ok(());
    }
    near.sort();
    near.truncate(MAX_SUGGESTIONS);
    let near: Vec<String> = near.into_iter().map(|(_, address)| address).collect();
    let remedy = match near.is_empty() {
        true => "Check the address, or write the message without it.".to_owned(),
        false => format!("Did you mean {}?", near.join(" or ")),
    };
    Err(Refusal::invalid("text", format!("Agent {address} not found. {remedy}")).into())
}

/// Counts the mentions of people of a room at the start of a text, as in `@ada`. Returns the rest of the text as well.
pub(super) fn read_people<'t>(people: &[ChatPerson], text: &'t str) -> (usize, &'t str) {
    let (mut count, mut rest) = (0, text);
    loop {
        let start = rest.trim_start();
        let end = start.find(char::is_whitespace).unwrap_or(start.len());
        let word = start[..end].trim_end_matches([',', ':', ';', '.', '?', '!']);
        let name = word.strip_prefix('@').unwrap_or_default();
        if !people.iter().any(|person| person.name.as_str().eq_ignore_ascii_case(name)) {
            return (count, rest);
        }
        (count, rest) = (count + 1, start[end..].trim_start());
    }
}

async fn is_at_known_hub(conn: &mut Conn, address: &Address) -> Result<bool> {
    match &address.hub {
        Some(hub) => Ok(hubs::is_known(conn, hub).await?),
        None => Ok(false),
    }
}

/// Returns the text without the mentions at its start. `members` are the agents that were addressed in the chat.
pub(crate) async fn without_mentions<'t>(
    conn: &mut Conn,
    members: &[Address],
    text: &'t str,
) -> Result<&'t str> {
    let mut rest = text;
    // Messages have no more of them: `read` refuses those.
    for _ in 0..MAX_MENTIONS {
        let Some((address, after)) = Address::split_mention(rest) else { break };
        let agent = agent_rows::at(conn, &address).await?;
        if !agent.is_some_and(|agent| members.contains(&agent.address())) {
            break;
        }
        rest = after;
    }
    Ok(rest)
}

/// Returns the agents that answered last on the path to `leaf`; they receive messages without mentions.
pub(super) fn last_responders(tree: &[MessageHeader], leaf: Option<MessageId>) -> Vec<PrincipalId> {
    let nodes: Vec<_> = tree.iter().map(TreeNode::from).collect();
    let Some(leaf) = leaf else { return Vec::new() };
    for id in path(&nodes, leaf).into_iter().rev() {
        let Some(step) = tree.iter().find(|header| header.id == id && header.lane > 0) else { continue };
        return responders(tree, step.parent, Some(step));
    }
    Vec::new()
}

/// Returns the agents that answered a message side by side.
pub(super) fn responders_to(tree: &[MessageHeader], question: MessageId) -> Vec<PrincipalId> {
    responders(tree, Some(question), None)
}

/// Returns the authors of the answers to a message, by lane: of `chosen` in its lane, else of the newest
/// alternative.
fn responders(
    tree: &[MessageHeader],
    question: Option<MessageId>,
    chosen: Option<&MessageHeader>,
) -> Vec<PrincipalId> {
    let is_hidden = |header: &MessageHeader| {
        chosen.is_some_and(|chosen| chosen.lane == header.lane && chosen.id != header.id)
    };
    let mut beside: Vec<&MessageHeader> = tree
        .iter()
        .filter(|header| header.parent == question && header.lane > 0 && !is_hidden(header))
        .collect();
    beside.sort_by_key(|header| (header.lane, Reverse(header.seq)));
    beside.dedup_by_key(|header| header.lane);
    beside.into_iter().map(|header| header.author).collect()
}
