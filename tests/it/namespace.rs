//! Fixture: Linux network namespace for a hub, connected to this one by a link that can be cut.

use std::{
    io::{Write as _, stderr},
    net::Ipv4Addr,
    path::Path,
    process::{Command as Plain, id},
    sync::atomic::{AtomicU8, Ordering},
};

use tokio::process::Command;

/// Address range of both ends: reserved for benchmarking (RFC 2544), so no network uses it.
const NET: [u8; 2] = [198, 18];

/// Linux network namespace, deleted on drop.
pub struct Namespace {
    name: String,
    /// Address of this end of the link.
    pub here: Ipv4Addr,
    /// Address of the end in the namespace.
    pub address: Ipv4Addr,
}

impl Namespace {
    /// Creates a namespace. Returns `None`, with a message, if this process may not.
    pub fn new() -> Option<Self> {
        static MADE: AtomicU8 = AtomicU8::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("plexus{}-{number}", id());
        // Concurrent tests, also of other processes, get disjoint networks.
        let third = id().to_le_bytes()[0];
        let end = |last: u8| Ipv4Addr::new(NET[0], NET[1], third, number.wrapping_mul(4).wrapping_add(last));
        let namespace = Self { name, here: end(1), address: end(2) };
        if let Err(why) = namespace.build() {
            let line = format!("SKIPPED: two networks need root on Linux, and iproute2: {why}\n");
            // Test output is captured; writing to stderr directly is not.
            stderr().write_all(line.as_bytes()).expect("somebody reads along");
            return None;
        }
        Some(namespace)
    }

    fn build(&self) -> Result<(), String> {
        let (near, far) = self.ends();
        let name = self.name.as_str();
        let (here, there) = (format!("{}/30", self.here), format!("{}/30", self.address));
        for arguments in [
            &["netns", "add", name][..],
            &["link", "add", &near, "type", "veth", "peer", "name", &far, "netns", name],
            &["address", "add", &here, "dev", &near],
            &["link", "set", &near, "up"],
            &["-n", name, "address", "add", &there, "dev", &far],
            &["-n", name, "link", "set", "lo", "up"],
            &["-n", name, "link", "set", &far, "up"],
        ] {
            ip(arguments)?;
        }
        Ok(())
    }

    /// Returns the interface names of the link. The kernel limits them to 15 characters.
    fn ends(&self) -> (String, String) {
        let of = self.name.trim_start_matches("plexus");
        (format!("px{of}a"), format!("px{of}b"))
    }

    /// Cuts the link in both directions.
    pub fn cut(&self) {
        self.set("down");
    }

    pub fn heal(&self) {
        self.set("up");
    }

    fn set(&self, state: &str) {
        ip(&["-n", &self.name, "link", "set", &self.ends().1, state]).expect("the cable is there");
    }

    /// Returns a command that runs `program` in the namespace.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(program);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // Deleting the namespace deletes the link.
        let _ = ip(&["netns", "delete", &self.name]);
    }
}

/// Runs `ip`. Returns its error output on failure.
fn ip(arguments: &[&str]) -> Result<(), String> {
    let done = Plain::new("ip").args(arguments).output().map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&done.stderr).trim().to_owned())
}
