//! The `plexus` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    match plexus_server::cli::run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "this is how a command says what went wrong")]
            {
                eprintln!("plexus: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
