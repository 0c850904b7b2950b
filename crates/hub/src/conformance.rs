//! What a hub for test kits has besides: an agent that does what a kit tells it to, and an account that everybody is.
//!
//! Kits know nothing of signing in, and their agents must obey words that no real agent obeys. So such a hub is a
//! process of its own with data of its own, and a hub that serves people has neither of the two.

use plexus_domain::{Address, Error as Refusal, Part, account::Role};
use plexus_runtime::builtin::Tck;

use crate::{Caller, Hub, Result, accounts, agents, calls::Door};

/// Whom kits are taken for.
const TESTER: &str = "tester";

/// Makes the account that everybody is, and answers it.
pub async fn tester(hub: &Hub) -> Result<Caller> {
    if !hub.config().conformance {
        return Err(Refusal::forbidden("This hub is not one for test kits.").into());
    }
    let password = hub.env().bytes::<16>().map(|byte| format!("{byte:02x}")).concat();
    accounts::create_by_operator(hub, TESTER, password, Role::User).await?;
    accounts::act_for(hub, Some(TESTER)).await
}

/// The agent that A2A's kit speaks to.
pub fn tck() -> Address {
    agents::tck_address()
}

/// What the kit's agent answers with a message alone, without a task.
pub(crate) fn reply(hub: &Hub, door: &Door, called: Option<&str>) -> Option<Vec<Part>> {
    let is_tck = hub.config().conformance && door.address() == tck();
    called.filter(|_| is_tck).and_then(Tck::at_once)
}
