//! A network of its own for a hub, joined with this one by a cable that can be cut.

use std::{
    io::{Write as _, stderr},
    net::Ipv4Addr,
    path::Path,
    process::{Command as Plain, id},
    sync::atomic::{AtomicU8, Ordering},
};

use tokio::process::Command;

/// Where the two ends are: of the addresses for measuring networks (RFC 2544), which no network uses.
const NET: [u8; 2] = [198, 18];

/// A network namespace of Linux. It goes when this is dropped.
pub struct Namespace {
    name: String,
    /// This end of the cable,
    pub here: Ipv4Addr,
    /// and that of the namespace.
    pub address: Ipv4Addr,
}

impl Namespace {
    /// None where this process may not make one, which is said aloud.
    pub fn new() -> Option<Self> {
        static MADE: AtomicU8 = AtomicU8::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("plexus{}-{number}", id());
        // Tests that run at once, also of other programs, are on networks of their own.
        let third = id().to_le_bytes()[0];
        let end = |last: u8| Ipv4Addr::new(NET[0], NET[1], third, number.wrapping_mul(4).wrapping_add(last));
        let namespace = Self { name, here: end(1), address: end(2) };
        if let Err(why) = namespace.build() {
            let line = format!("SKIPPED: two networks need root on Linux, and iproute2: {why}\n");
            // What tests print is kept back; this is not.
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

    /// The names of the cable's ends. The kernel takes 15 characters.
    fn ends(&self) -> (String, String) {
        let of = self.name.trim_start_matches("plexus");
        (format!("px{of}a"), format!("px{of}b"))
    }

    /// Nothing comes through any more, either way.
    pub fn cut(&self) {
        self.set("down");
    }

    pub fn heal(&self) {
        self.set("up");
    }

    fn set(&self, state: &str) {
        ip(&["-n", &self.name, "link", "set", &self.ends().1, state]).expect("the cable is there");
    }

    /// A command that runs the program within.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(program);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // The cable goes with it.
        let _ = ip(&["netns", "delete", &self.name]);
    }
}

/// Runs `ip`; or else what it said.
fn ip(arguments: &[&str]) -> Result<(), String> {
    let done = Plain::new("ip").args(arguments).output().map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&done.stderr).trim().to_owned())
}
