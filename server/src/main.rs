//! Entry point of the `plexus` program.

use std::process::ExitCode;

/// Uses jemalloc. The system allocator does not return memory after bursts: half as much memory again remains
/// after an index build, and some for each running answer (docs/benchmarks.md).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

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
