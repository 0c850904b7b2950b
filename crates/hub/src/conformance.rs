//! Conformance-test mode: a scripted A2A agent, and one account that every request is authenticated as.
//!
//! Test kits cannot sign in, and the scripted agent obeys instructions that no real agent should obey. So
//! this mode runs as an instance of its own with its own data; a regular hub has neither the agent nor the
//! account.

use plexus_domain::{Address, Error as Refusal, Part, account::Role};
use plexus_runtime::builtin::Tck;

use crate::{Caller, Hub, Result, accounts, agents};

/// Name of the account that requests are authenticated as.
const TESTER: &str = "tester";

/// Creates the test account and returns a caller for it.
pub async fn tester(hub: &Hub) -> Result<Caller> {
    if !hub.config().conformance {
        return Err(Refusal::forbidden("This hub does not run in conformance mode.").into());
    }
    let password = hub.env().bytes::<16>().map(|byte| format!("{byte:02x}")).concat();
    accounts::create_by_operator(hub, TESTER, password, Role::User).await?;
    accounts::impersonate(hub, Some(TESTER)).await
}

/// Returns the address of the scripted agent that the A2A test kit calls.
pub fn tck() -> Address {
    agents::tck_address()
}

/// Returns the direct reply of the scripted agent, if this message id requests one instead of a task.
pub(crate) fn reply(hub: &Hub, agent: &Address, called: Option<&str>) -> Option<Vec<Part>> {
    let is_tck = hub.config().conformance && *agent == tck();
    called.filter(|_| is_tck).and_then(Tck::at_once)
}
