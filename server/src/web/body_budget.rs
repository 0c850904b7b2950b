//! Budget for the bytes of request bodies in memory: per client address, per account, and for the hub.
//!
//! The bytes of a body are charged when they arrive and released when its request ends. So clients that send bodies and
//! never finish them hold a bounded amount of memory. The first [`FREE_BYTES`] of each body are not charged: forms and
//! messages are accepted while large bodies fill the budget.

use std::{
    collections::HashMap,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, header},
    middleware::Next,
    response::Response,
};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use plexus_domain::Error as Refusal;
use plexus_hub::Caller;

use super::client_address::client_ip;
use crate::app_state::AppState;

/// Bytes of each body that are not charged. The number of connections bounds them.
pub const FREE_BYTES: usize = 64 << 10;

/// Limits of the bytes in memory.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// Of callers without an account at one address.
    pub per_address: usize,
    /// Of all callers without an account.
    pub anonymous: usize,
    /// Of one account. At least the largest body that an account may send.
    pub per_account: usize,
    /// Of all callers.
    pub total: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { per_address: 8 << 20, anonymous: 32 << 20, per_account: 96 << 20, total: 256 << 20 }
    }
}

/// The bytes of all request bodies in memory.
pub struct BodyBudget {
    limits: BodyLimits,
    used: Mutex<UsedBytes>,
}

#[derive(Default)]
struct UsedBytes {
    total: usize,
    anonymous: usize,
    by_sender: HashMap<String, usize>,
}

/// The sender of a body, until its request ends.
#[derive(Clone, PartialEq, Eq)]
struct Sender {
    key: String,
    has_account: bool,
}

/// The charge for one body. Dropping the last handle releases it.
#[derive(Clone)]
pub struct BodyCharge(Arc<ChargedBody>);

struct ChargedBody {
    budget: Arc<BodyBudget>,
    state: Mutex<ChargeState>,
}

struct ChargeState {
    sender: Sender,
    /// Bytes that arrived, the free ones included.
    received: usize,
    charged: usize,
    /// The sender is not admitted: only the free bytes are read.
    is_refused: bool,
}

/// The body was refused because too many bytes are in memory. `BodyLimits` has the limits.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("too many bytes of request bodies are in memory")]
pub struct BodyBudgetExceeded;

impl BodyBudgetExceeded {
    /// Returns the error for the client.
    pub fn refusal() -> Refusal {
        Refusal::RateLimited {
            message:
                "Too much is being uploaded at once. Wait until other uploads have ended, then try again."
                    .to_owned(),
            retry_after_ms: 2_000,
        }
    }
}

impl BodyBudget {
    pub fn new(limits: BodyLimits) -> Self {
        Self { limits, used: Mutex::default() }
    }

    fn add(&self, sender: &Sender, bytes: usize) -> Result<(), BodyBudgetExceeded> {
        let mut used = self.used.lock();
        let own = used.by_sender.get(&sender.key).copied().unwrap_or_default();
        let most = if sender.has_account { self.limits.per_account } else { self.limits.per_address };
        let fits = own + bytes <= most
            && used.total + bytes <= self.limits.total
            && (sender.has_account || used.anonymous + bytes <= self.limits.anonymous);
        if !fits {
            metrics::counter!("plexus_refused_total", "limit" => "body_bytes").increment(1);
            return Err(BodyBudgetExceeded);
        }
        used.total += bytes;
        if !sender.has_account {
            used.anonymous += bytes;
        }
        *used.by_sender.entry(sender.key.clone()).or_default() += bytes;
        Ok(())
    }

    fn release(&self, sender: &Sender, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let mut used = self.used.lock();
        used.total = used.total.saturating_sub(bytes);
        if !sender.has_account {
            used.anonymous = used.anonymous.saturating_sub(bytes);
        }
        if let Some(own) = used.by_sender.get_mut(&sender.key) {
            *own = own.saturating_sub(bytes);
            if *own == 0 {
                used.by_sender.remove(&sender.key);
            }
        }
    }
}

impl BodyCharge {
    fn new(budget: Arc<BodyBudget>, ip: IpAddr) -> Self {
        let sender = Sender { key: Caller::anonymous(ip).key(), has_account: false };
        let state = Mutex::new(ChargeState { sender, received: 0, charged: 0, is_refused: false });
        Self(Arc::new(ChargedBody { budget, state }))
    }

    /// Charges the bytes of this body to the caller from now on.
    pub fn charge_to(&self, caller: &Caller) -> Result<(), Refusal> {
        let mut state = self.0.state.lock();
        let sender = Sender { key: caller.key(), has_account: caller.person.is_some() };
        if sender != state.sender {
            self.0.budget.add(&sender, state.charged).map_err(|_| BodyBudgetExceeded::refusal())?;
            self.0.budget.release(&state.sender, state.charged);
            state.sender = sender;
        }
        Ok(())
    }

    /// Checks before the first byte that a body of this length fits. Only a check: what a client declares and does not send
    /// takes no memory.
    fn check_fits(&self, length: usize) -> Result<(), BodyBudgetExceeded> {
        let state = self.0.state.lock();
        let charged = length.saturating_sub(FREE_BYTES);
        if state.is_refused && charged > 0 {
            return Err(BodyBudgetExceeded);
        }
        self.0.budget.add(&state.sender, charged)?;
        self.0.budget.release(&state.sender, charged);
        Ok(())
    }

    /// Ends the body after its free bytes: its sender is not admitted.
    pub fn refuse(&self) {
        self.0.state.lock().is_refused = true;
    }

    fn receive(&self, bytes: usize) -> Result<(), BodyBudgetExceeded> {
        let mut state = self.0.state.lock();
        state.received += bytes;
        let due = state.received.saturating_sub(FREE_BYTES) - state.charged;
        if due > 0 {
            if state.is_refused {
                return Err(BodyBudgetExceeded);
            }
            self.0.budget.add(&state.sender, due)?;
            state.charged += due;
        }
        Ok(())
    }
}

impl Drop for ChargedBody {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        self.budget.release(&state.sender, state.charged);
    }
}

/// Returns the value of `Content-Length`.
pub fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Middleware: charges the body of a request to its sender until the request ends. Extractors that authenticate the
/// sender find the charge in the extensions of the request and call [`BodyCharge::charge_to`].
pub async fn charge_body(State(site): State<AppState>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let charge = BodyCharge::new(Arc::clone(&site.body_budget), client_ip(&parts, &site));
    parts.extensions.insert(charge.clone());
    let declared = declared_length(&parts.headers);
    let request =
        Request::from_parts(parts, Body::new(BudgetedBody { body, charge: charge.clone(), declared }));
    let response = next.run(request).await;
    // What the handler read lives as long as its future.
    drop(charge);
    response
}

/// A request body that fails with [`BodyBudgetExceeded`] when its bytes exceed the budget.
struct BudgetedBody {
    body: Body,
    charge: BodyCharge,
    /// The declared length, until the first read.
    declared: Option<usize>,
}

impl HttpBody for BudgetedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(length) = self.declared.take()
            && let Err(exceeded) = self.charge.check_fits(length)
        {
            return Poll::Ready(Some(Err(axum::Error::new(exceeded))));
        }
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Err(exceeded) = self.charge.receive(frame.data_ref().map_or(0, Bytes::len))
        {
            return Poll::Ready(Some(Err(axum::Error::new(exceeded))));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use plexus_domain::{AccountId, Name, NamespaceId, PrincipalId, Timestamp, account::Role};
    use plexus_hub::caller::{AuthMethod, Person};

    use super::*;

    const MIB: usize = 1 << 20;

    fn budget() -> Arc<BodyBudget> {
        let limits =
            BodyLimits { per_address: 4 * MIB, anonymous: 6 * MIB, per_account: 8 * MIB, total: 10 * MIB };
        Arc::new(BodyBudget::new(limits))
    }

    fn at(budget: &Arc<BodyBudget>, ip: &str) -> BodyCharge {
        BodyCharge::new(Arc::clone(budget), ip.parse().unwrap())
    }

    fn account() -> Caller {
        let now = Timestamp::from_millis(1);
        let person = Person {
            account: AccountId::new(now, &[1; 10]),
            principal: PrincipalId::new(now, &[1; 10]),
            namespace: NamespaceId::new(now, &[1; 10]),
            name: "ada".parse::<Name>().unwrap(),
            role: Role::User,
        };
        let via = AuthMethod::Session(plexus_domain::Digest::of(b"session"));
        Caller { person: Some(person), via, ip: "192.0.2.1".parse().unwrap() }
    }

    #[test]
    fn bytes_are_bounded_by_address_and_for_all_anonymous_callers() {
        let budget = budget();
        let first = at(&budget, "192.0.2.1");
        assert!(first.receive(4 * MIB).is_ok());
        let second = at(&budget, "192.0.2.1");
        assert!(second.receive(MIB).is_err(), "of the same address");
        let other = at(&budget, "192.0.2.2");
        assert!(other.receive(2 * MIB).is_ok());
        assert!(at(&budget, "192.0.2.3").receive(MIB).is_err(), "of all anonymous callers");
        assert!(at(&budget, "192.0.2.3").receive(FREE_BYTES).is_ok(), "a small body");
        drop((first, second));
        assert!(at(&budget, "192.0.2.1").receive(3 * MIB).is_ok(), "released with the request");
        drop(other);
        assert_eq!(budget.used.lock().total, 0);
        assert!(budget.used.lock().by_sender.is_empty());
    }

    #[test]
    fn an_authenticated_body_counts_for_its_account() {
        let budget = budget();
        let charge = at(&budget, "192.0.2.1");
        assert!(charge.receive(3 * MIB).is_ok());
        charge.charge_to(&account()).unwrap();
        assert!(at(&budget, "192.0.2.1").receive(4 * MIB).is_ok(), "the address is free again");
        assert!(charge.receive(4 * MIB).is_ok());
        assert!(charge.receive(2 * MIB).is_err(), "of one account");
    }

    #[test]
    fn a_declared_length_that_cannot_fit_is_refused_before_the_body() {
        let budget = budget();
        assert!(at(&budget, "192.0.2.1").check_fits(5 * MIB).is_err());
        let of_account = at(&budget, "192.0.2.1");
        of_account.charge_to(&account()).unwrap();
        assert!(of_account.check_fits(5 * MIB).is_ok());
        of_account.refuse();
        assert!(of_account.check_fits(5 * MIB).is_err() && of_account.check_fits(FREE_BYTES).is_ok());
        assert_eq!(budget.used.lock().total, 0, "a declaration takes nothing");
    }
}
