//! Keeps callers from hanging when Rust code panics, which should never happen. A panic aborts the
//! WebAssembly instance and leaves its pending promises unsettled. The abort handler makes
//! `entry/guard.ts` reject them, and marks the instance for replacement.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Defined by `entry/guard.ts`.
    #[wasm_bindgen(js_namespace = globalThis, js_name = __snapshotterInstanceAborted)]
    fn instance_aborted();
}

/// Registers the abort handler. The fetch handler and the objects' constructors call it: the
/// runtime crate would overwrite a handler that is registered at module start.
pub fn guard() {
    console_error_panic_hook::set_once();
    wasm_bindgen::handler::set_on_abort(instance_aborted);
}
