//! Runs every target over its corpus and over mutations of it.
//!
//! In `make test` each target gets a fixed number of inputs from a fixed seed, so that results are
//! reproducible and a change never fails because of an unrelated one. `make test-long` runs each target for
//! `PLEXUS_FUZZ_SECONDS` on new random inputs.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod edits;

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner},
};

/// Timeout per input of a few kilobytes, generous enough for slow machines.
const LONGEST: Duration = Duration::from_secs(15);
/// Inputs between two checks of the deadline.
const BATCH: u32 = 32;

macro_rules! tests {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            exercise(stringify!($name), plexus_fuzz::$name);
        }
    )*};
}
plexus_fuzz::each_target!(tests);

macro_rules! names {
    ($($name:ident)*) => { [$(stringify!($name)),*] };
}

#[test]
fn cargo_fuzz_has_every_target_and_each_has_a_corpus() {
    let names = plexus_fuzz::each_target!(names);
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    for folder in ["fuzz_targets", "corpus"] {
        let mut found: Vec<String> = files(Path::new(folder)).into_iter().map(stem).collect();
        found.sort_unstable();
        assert_eq!(found, names, "in {folder}");
    }
}

fn exercise(name: &str, target: fn(&[u8])) {
    let seeds: Vec<Vec<u8>> =
        files(&Path::new("corpus").join(name)).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(!seeds.is_empty(), "{name} has no corpus");
    seeds.iter().for_each(|seed| timed(target, seed));
    let inputs = edits::of(seeds);
    let config =
        |cases| Config { failure_persistence: None, max_shrink_iters: 2_000, cases, ..Config::default() };
    let Ok(seconds) = env::var("PLEXUS_FUZZ_SECONDS") else {
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        return run(name, target, &inputs, TestRunner::new_with_rng(config(usual_inputs(name)), rng));
    };
    let end = Instant::now() + Duration::from_secs(seconds.parse().unwrap());
    while Instant::now() < end {
        run(name, target, &inputs, TestRunner::new(config(BATCH)));
    }
}

/// Returns the number of inputs that take a few seconds.
fn usual_inputs(name: &str) -> u32 {
    match name {
        // These wait for a calculation or a server.
        "sheet" => 80,
        "api" | "form" | "oauth" => 500,
        "search" | "settings" => 1_000,
        "markdown" => 400,
        _ => 3_000,
    }
}

fn run(name: &str, target: fn(&[u8]), inputs: &impl Strategy<Value = Vec<u8>>, mut runner: TestRunner) {
    let outcome = runner.run(inputs, |input| {
        timed(target, &input);
        Ok(())
    });
    if let Err(TestError::Fail(why, input)) = outcome {
        panic!("{why}\nKeep this input as a file in fuzz/corpus/{name}: {}", input.escape_ascii());
    }
}

fn timed(target: fn(&[u8]), input: &[u8]) {
    let begun = Instant::now();
    target(input);
    assert!(begun.elapsed() < LONGEST, "it took {:?}", begun.elapsed());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files
}
