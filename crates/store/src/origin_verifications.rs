//! Origin verifications: proof that the owner of an agent controls an origin that the hub calls.

use plexus_domain::{AgentId, ProofId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record, word_enum},
};

word_enum! {
    pub enum ProofMethod {
        /// File under `/.well-known/` of the origin.
        WellKnown = "well_known",
        /// TXT record of the domain.
        Dns = "dns",
        /// The agent card at the origin names the key of the agent.
        Card = "card",
        /// An administrator trusts the origin and no other method verifies it. Derived from
        /// `trusted_origins`; never written.
        TrustedOrigin = "trusted_origin",
    }
}

record! {
    pub struct Proof {
        pub id: ProofId,
        pub agent: AgentId,
        /// Scheme, host and port.
        pub origin: String,
        pub method: ProofMethod,
        pub verified_at: Option<Timestamp>,
        /// Latest failure since `verified_at`.
        pub failed_at: Option<Timestamp>,
    }
}

impl Proof {
    /// Returns whether the origin is verified and no later check failed.
    pub const fn holds(&self) -> bool {
        self.verified_at.is_some() && self.failed_at.is_none()
    }
}

/// Reads verifications. Those of a trusted origin always hold: with method `trusted_origin` if not verified
/// otherwise.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select o.id, o.agent, o.origin, \
             case when t.trusted_at is null or (verified_at is not null and failed_at is null) \
                 then method else 'trusted_origin' end as method, \
             case when t.trusted_at is null or (verified_at is not null and failed_at is null) \
                 then verified_at else t.trusted_at end as verified_at, \
             case when t.trusted_at is null then failed_at end as failed_at \
             from origin_verifications o left join trusted_origins t on t.origin = o.origin ",
            $rest
        )
    };
}

/// Inserts or updates how an origin is verified and the result of the latest attempt.
pub async fn put(tx: &mut Tx, proof: &Proof) -> Result<()> {
    let text = "insert into origin_verifications (id, agent, origin, method, verified_at, failed_at) \
                values ($1, $2, $3, $4, $5, $6) \
                on conflict (agent, origin) do update set method = excluded.method, \
                verified_at = excluded.verified_at, failed_at = excluded.failed_at";
    execute!(
        tx,
        query(text)
            .bind(proof.id.uuid())
            .bind(proof.agent.uuid())
            .bind(&proof.origin)
            .bind(proof.method.as_str())
            .bind(proof.verified_at.to_column())
            .bind(proof.failed_at.to_column())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, agent: AgentId, origin: &str) -> Result<Option<Proof>> {
    let text = select!("where o.agent = $1 and o.origin = $2");
    on!(conn, c => query_as(text).bind(agent.uuid()).bind(origin).fetch_optional(c))
}

pub async fn list_by_agent(conn: &mut Conn, agent: AgentId) -> Result<Vec<Proof>> {
    on!(conn, c => query_as(select!("where o.agent = $1 order by o.id")).bind(agent.uuid()).fetch_all(c))
}

/// Lists the verifications of an origin, one per agent that is not deleted.
pub async fn list_by_origin(conn: &mut Conn, origin: &str) -> Result<Vec<Proof>> {
    let text = select!(
        "join agents on agents.id = o.agent where o.origin = $1 and agents.state <> 'deleted' \
         order by o.id"
    );
    on!(conn, c => query_as(text).bind(origin).fetch_all(c))
}

pub async fn delete(tx: &mut Tx, agent: AgentId, origin: &str) -> Result<bool> {
    let text = "delete from origin_verifications where agent = $1 and origin = $2";
    Ok(execute!(tx, query(text).bind(agent.uuid()).bind(origin))? > 0)
}
