//! Pages to register an agent: one page and form for each step.

pub mod card;
pub mod card_views;
pub mod endpoint;
pub mod import;
pub mod instructions;
pub mod program;
pub mod proof;
pub mod publish;
pub mod start;
pub mod try_it;

use plexus_domain::{DraftId, Error as Refusal};
use plexus_hub::Error;

fn draft(id: &str) -> Result<DraftId, Error> {
    id.parse().map_err(|_| Refusal::not_found("Registration not found.").into())
}
