//! Resolves the @-mentions of a message to the agents that answer it.

use plexus_domain::{
    Address, Error as Refusal, MessageId, PrincipalId,
    message::{TreeNode, path},
};
use plexus_store::{Conn, messages::MessageHeader};

use crate::{
    Result,
    agents::{self, ResolvedAgent},
    caller::Requester,
};

/// Maximum number of recipients; more is a mistake or an attack.
const MAX_ITEMS: usize = 8;

/// Splits the mentions at the start of `text` from the rest.
pub(super) fn mentions(text: &str) -> (Vec<Address>, &str) {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((address, after)) = Address::split_mention(rest) {
        if !found.contains(&address) {
            found.push(address);
        }
        rest = after;
    }
    (found, rest)
}

/// Returns the text without the mentions at its start.
pub(crate) fn without_mentions(text: &str) -> &str {
    mentions(text).1
}

/// Resolves the addresses to agents. Fails if the requester may not call one of them.
pub(super) async fn resolve(
    conn: &mut Conn,
    asker: &Requester,
    addresses: &[Address],
) -> Result<Vec<ResolvedAgent>> {
    if addresses.len() > MAX_ITEMS {
        return Err(
            Refusal::invalid("text", format!("A message can go to {MAX_ITEMS} agents at most.")).into()
        );
    }
    let mut found = Vec::new();
    for address in addresses {
        found.push(agents::resolve_callable(conn, asker, address).await?);
    }
    Ok(found)
}

/// Returns the agents that answered last on the path to `leaf`; they receive messages without mentions.
pub(super) fn last_responders(tree: &[MessageHeader], leaf: Option<MessageId>) -> Vec<PrincipalId> {
    let nodes: Vec<_> = tree.iter().map(TreeNode::from).collect();
    let Some(leaf) = leaf else { return Vec::new() };
    for id in path(&nodes, leaf).into_iter().rev() {
        let Some(step) = tree.iter().find(|header| header.id == id && header.lane > 0) else { continue };
        let mut beside: Vec<&MessageHeader> =
            tree.iter().filter(|header| header.parent == step.parent && header.lane > 0).collect();
        beside.sort_by_key(|header| header.lane);
        beside.dedup_by_key(|header| header.lane);
        return beside.into_iter().map(|header| header.author).collect();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_stand_at_the_start() {
        let (found, rest) = mentions("@plexus/calc, @ada/x @plexus/calc: 2 + 2 @b/c");
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), ["@plexus/calc", "@ada/x"]);
        assert_eq!(rest, "2 + 2 @b/c");
        assert_eq!(mentions("2 + 2"), (Vec::new(), "2 + 2"));
    }
}
