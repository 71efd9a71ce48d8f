//! Replays the inputs that fuzzing found worth keeping.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

#[test]
fn every_input_of_the_corpus_is_dealt_with() {
    assert!(targets::find("no such target").is_none());
    for (name, target) in targets::TARGETS {
        let inputs = fs::read_dir(Path::new("fuzz/corpus").join(name)).unwrap();
        let mut count = 0;
        for input in inputs {
            target(&fs::read(input.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "{name} has no corpus");
    }
}
