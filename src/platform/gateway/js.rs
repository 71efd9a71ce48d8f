//! Bindings of R2 for clients of buckets. The `worker` crate's own move bodies through WebAssembly.

use js_sys::{Array, Object, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An R2 binding.
    pub type JsBucket;

    #[wasm_bindgen(method, catch)]
    pub fn head(this: &JsBucket, key: &str) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn get(
        this: &JsBucket,
        key: &str,
        options: &Object,
    ) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn put(
        this: &JsBucket,
        key: &str,
        body: &JsValue,
        options: &Object,
    ) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn delete(this: &JsBucket, keys: &Array) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn list(this: &JsBucket, options: &Object) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createMultipartUpload)]
    pub fn create_upload(
        this: &JsBucket,
        key: &str,
        options: &Object,
    ) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = resumeMultipartUpload)]
    pub fn resume_upload(
        this: &JsBucket,
        key: &str,
        upload_id: &str,
    ) -> std::result::Result<JsUpload, JsValue>;

    /// A multipart upload.
    pub type JsUpload;

    #[wasm_bindgen(method, catch, js_name = uploadPart)]
    pub fn upload_part(
        this: &JsUpload,
        number: u16,
        body: &JsValue,
    ) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn complete(this: &JsUpload, parts: &Array) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn abort(this: &JsUpload) -> std::result::Result<Promise, JsValue>;
}
