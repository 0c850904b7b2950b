//! Cargo does not see that a migration was added: the macro that embeds them reads folders, not files.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
