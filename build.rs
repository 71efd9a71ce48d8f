//! Fails the build if version pins in different files disagree.

use std::error::Error;
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// From this compatibility date on, a pending call keeps an object, and so its
/// container, from being evicted. The container's inactivity timeout begins at
/// the eviction.
const COMPATIBILITY_DATE_FLOOR: &str = "2026-10-01";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // `schemas` makes the types describe themselves for the OpenAPI document.
    // The Worker is built without it.
    println!("cargo::rustc-check-cfg=cfg(schemas)");
    if env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch != "wasm32") {
        println!("cargo::rustc-cfg=schemas");
    }
    check_pins()
}

fn read(path: &str) -> Result<String> {
    println!("cargo::rerun-if-changed={path}");
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}").into())
}

/// Each tool reads its pin from its own file. Here we compare them.
fn check_pins() -> Result<()> {
    let pins = read("tools/versions.env")?;
    let pin = |key: &str| {
        pins.lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
            .ok_or_else(|| format!("tools/versions.env has no {key}"))
    };
    let manifest = read("Cargo.toml")?;
    let wasm_bindgen = pin("WASM_BINDGEN_VERSION")?;
    let worker = pin("WORKER_BUILD_VERSION")?;
    agree(
        "wasm-bindgen in Cargo.toml",
        &manifest_version(&manifest, "wasm-bindgen")?,
        &format!("={wasm_bindgen}"),
    )?;
    agree("worker in Cargo.toml", &manifest_version(&manifest, "worker")?, &format!("={worker}"))?;
    for lock in ["Cargo.lock", "tools/wasm-bindgen/Cargo.lock"] {
        let found = locked_version(
            &read(lock)?,
            if lock == "Cargo.lock" { "wasm-bindgen" } else { "wasm-bindgen-cli-support" },
        )?;
        agree(&format!("wasm-bindgen in {lock}"), &found, wasm_bindgen)?;
    }
    let dockerfile = read("Dockerfile")?;
    for name in ["BASE_IMAGE", "DEBIAN_SNAPSHOT"] {
        let line = format!("ARG {name}=");
        let found = dockerfile.lines().find_map(|other| other.strip_prefix(&line));
        agree(&format!("{name} in Dockerfile"), found.unwrap_or_default(), pin(name)?)?;
    }
    let wrangler = read("wrangler.toml")?;
    let date = wrangler
        .lines()
        .find_map(|line| line.strip_prefix("compatibility_date = "))
        .map(|date| date.trim_matches('"'))
        .unwrap_or_default();
    if date < COMPATIBILITY_DATE_FLOOR {
        return Err(format!("compatibility_date in wrangler.toml is {date:?}, must be {COMPATIBILITY_DATE_FLOOR} or later").into());
    }
    Ok(())
}

fn agree(what: &str, found: &str, pinned: &str) -> Result<()> {
    if found == pinned {
        return Ok(());
    }
    Err(format!("{what} is {found:?}, but tools/versions.env pins {pinned:?}: make them agree")
        .into())
}

/// The version of `name = "…"` in a manifest.
fn manifest_version(manifest: &str, name: &str) -> Result<String> {
    manifest
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("Cargo.toml does not pin {name}").into())
}

/// The version of `name` in a lock file.
fn locked_version(lock: &str, name: &str) -> Result<String> {
    let heading = format!("name = \"{name}\"");
    lock.lines()
        .skip_while(|line| *line != heading)
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("no {name} in the lock file").into())
}
