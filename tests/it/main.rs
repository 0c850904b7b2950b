//! Tests through the public edges of a running hub.

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod agent;
#[cfg(test)]
mod bad_agents;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod chat;
#[cfg(test)]
mod client;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod crash_loop;
#[cfg(test)]
mod crash_steps;
#[cfg(test)]
mod database;
#[cfg(test)]
mod disk;
#[cfg(test)]
mod events;
#[cfg(test)]
mod hub;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod process;
#[cfg(test)]
mod protection;
#[cfg(test)]
mod shared_stream;
#[cfg(test)]
mod streaming;
#[cfg(test)]
mod tokens;
