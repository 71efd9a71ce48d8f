//! libFuzzer's entry. `FUZZ_TARGET` names the target, so that one binary serves all.

#![no_main]

mod targets;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

#[expect(clippy::disallowed_methods, reason = "libFuzzer keeps the arguments for itself")]
static TARGET: LazyLock<targets::Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    targets::find(&name).unwrap_or_else(|| panic!("no target {name:?}"))
});

fuzz_target!(|data: &[u8]| TARGET(data));
