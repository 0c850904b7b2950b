//! Reruns the build when a migration is added: the macro that embeds migrations reads folders that Cargo does
//! not track.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
