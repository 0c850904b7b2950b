//! Registering an agent, step by step.

mod card;
mod done;
mod instructions;
mod proof;
mod publish;
mod start;
