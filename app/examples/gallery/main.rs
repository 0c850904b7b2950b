//! Writes every page with sample content into a folder: `cargo run --example gallery --features ssr -- DIR`.

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::{env, fs, io, path::PathBuf};

mod samples;

fn main() -> io::Result<()> {
    let folder: PathBuf = env::args().nth(1).unwrap_or_else(|| "gallery".to_owned()).into();
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("style.css"), plexus_app::style::CSS)?;
    for (name, html) in samples::all() {
        fs::write(folder.join(format!("{name}.html")), html)?;
        println!("{name}");
    }
    Ok(())
}
