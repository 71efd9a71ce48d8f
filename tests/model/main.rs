//! Random sequences of every operation, with random failures, against a model of
//! the contract. The hosts, the sandboxes and their SQLite are real; containers, R2
//! and the calls between objects are fakes that break.
//!
//! A failure prints its seed and the shortest script that still fails;
//! `MODEL_SEED=… cargo test --test model` plays that seed alone,
//! `MODEL_SEQUENCES=…` plays another number of them, `MODEL_FIRST=…` others.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "../support/mod.rs"]
mod support;

/// Ends a check with the reason if it fails.
macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+));
        }
    };
}

mod calls;
mod check;
mod check_contents;
mod check_live_forks;
mod check_machines;
mod check_pauses;
mod check_pruning;
mod check_reads;
mod check_rebuilt;
mod check_rest;
mod check_rewinds;
mod check_saving;
mod check_snapshots;
mod check_told;
mod check_turns;
mod check_updates;
mod check_workspaces;
mod choose;
mod files;
mod lose;
mod model;
mod play;
mod reach;
mod refusals;
mod remote;
mod repeat;
mod runtime;
mod script;
mod world;

use model::Model;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use script::{Act, Sequence, Step, sequences};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

const SEQUENCES: u64 = 3_000;
const LONGEST: usize = 16;

/// Plays a sequence in a world of its own; at its end everything recovers.
fn play(sequence: &Sequence) -> Result<(), String> {
    let mut model = Model::new(sequence.autosave, sequence.machines);
    let rest = Step { session: 0, act: Act::Settle, trouble: None, order: 0 };
    let played = catch_unwind(AssertUnwindSafe(|| {
        for (number, step) in sequence.steps.iter().chain([&rest]).enumerate() {
            model.play(step).map_err(|why| format!("step {number}: {why}"))?;
        }
        Ok(())
    }));
    model.world.end();
    played.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(format!("panicked: {}", text.unwrap_or_default()))
    })
}

/// Plays the sequence of a seed. If it fails, finds a short one that fails too.
fn play_seed(strategy: &impl Strategy<Value = Sequence>, seed: u64) -> Result<(), String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: 1,
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let failed = runner.run(strategy, |sequence| play(&sequence).map_err(TestCaseError::fail));
    match failed {
        Ok(()) => Ok(()),
        Err(TestError::Fail(why, sequence)) => {
            let script: Vec<String> = sequence
                .steps
                .iter()
                .enumerate()
                .map(|(n, step)| format!("  {n}: {step:?}"))
                .collect();
            let Sequence { autosave, machines, .. } = sequence;
            Err(format!(
                "MODEL_SEED={seed}: {why}\n  autosave: {autosave}, machines: {machines:?}\n{}",
                script.join("\n")
            ))
        }
        Err(TestError::Abort(why)) => Err(format!("MODEL_SEED={seed}: {why}")),
    }
}

#[expect(clippy::disallowed_methods, reason = "a developer asks for one seed, or more of them")]
fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}

#[test]
fn random_sequences_hold_what_the_contract_says() {
    if let Some(seed) = asked("MODEL_SEED") {
        play_seed(&sequences(LONGEST), seed).unwrap_or_else(|why| panic!("{why}"));
        return;
    }
    let first = asked("MODEL_FIRST").unwrap_or(0);
    let end = first + asked("MODEL_SEQUENCES").unwrap_or(SEQUENCES);
    let next = AtomicU64::new(first);
    let work = || {
        let strategy = sequences(LONGEST);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return Ok(());
            }
            if let Err(why) = play_seed(&strategy, seed) {
                next.store(end, Ordering::Relaxed);
                return Err(why);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().filter_map(|thread| thread.join().unwrap().err()).collect()
    });
    // Not captured by the test runner, so it shows also if the test passes.
    let mut told = std::io::stderr();
    writeln!(told, "sequences of up to {LONGEST} steps, seeds {first} to {}", end - 1).unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
