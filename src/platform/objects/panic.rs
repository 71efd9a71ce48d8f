//! What happens when Rust code panics: nothing should, but if it does, no caller hangs.
//!
//! A panic aborts the WebAssembly instance and leaves every pending promise of
//! it unsettled. `entry/guard.ts` keeps those promises' rejections; the abort
//! handler tells it to use them, and marks the instance for replacement.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Defined by `entry/guard.ts`.
    #[wasm_bindgen(js_namespace = globalThis, js_name = __snapshotterInstanceAborted)]
    fn instance_aborted();
}

/// Called from the fetch handler and the objects' constructors: a handler
/// registered at module start would be overwritten by the runtime crate's.
pub fn guard() {
    console_error_panic_hook::set_once();
    wasm_bindgen::handler::set_on_abort(instance_aborted);
}
