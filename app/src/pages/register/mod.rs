//! Pages for registering an agent, step by step.

mod address;
mod card;
mod done;
mod endpoint;
mod import;
mod instructions;
mod program;
mod proof;
mod publish;
mod start;
mod try_it;
