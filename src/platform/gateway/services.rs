//! [`S3Services`] over the runtime's `fetch`.

use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::remote::request::SignedRequest;
use crate::platform::container::js::{JsStream, get, object, set};
use crate::platform::container::stream::JsBytes;
use crate::platform::gateway::store::measured;
use crate::ports::bucket::service::{S3Services, Sent, ServiceAnswer};
use crate::ports::stream::Bytes;
use async_trait::async_trait;
use js_sys::{Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::Headers;

#[wasm_bindgen]
extern "C" {
    /// Resolves to a `Response`.
    #[wasm_bindgen(catch, js_name = fetch)]
    fn fetched(url: &str, init: &Object) -> std::result::Result<Promise, JsValue>;
}

/// S3 services on any host.
pub struct FetchedServices;

#[async_trait(?Send)]
impl S3Services for FetchedServices {
    async fn send(
        &self,
        method: &'static str,
        request: SignedRequest,
        body: Sent,
    ) -> Result<ServiceAnswer> {
        let headers = Headers::new();
        for (name, value) in &request.headers {
            headers.set(name, value).map_err(|_| {
                // The error's own message would contain the value.
                S3Error::new(Code::InvalidArgument, format!("{name} can't be sent in a header"))
            })?;
        }
        let init = object(&[
            ("method", method.into()),
            ("headers", headers.0.into()),
            ("redirect", "manual".into()),
            ("cache", "no-store".into()),
        ]);
        if request.is_object {
            set(&init, "encodeResponseBody", &"manual".into());
        }
        match body {
            Sent::Nothing => {}
            Sent::Whole(bytes) => set(&init, "body", &Uint8Array::from(bytes.as_slice())),
            Sent::Stream(bytes, length_bytes) => {
                set(&init, "body", &measured(bytes, length_bytes)?);
            }
        }
        let sending = fetched(&request.url, &init).map_err(|_| unreachable())?;
        let response = JsFuture::from(sending).await.map_err(|_| unreachable())?;
        let response: web_sys::Response = response.unchecked_into();
        let body = get(&response, "body");
        let body = body
            .is_object()
            .then(|| Box::new(JsBytes::new(body.unchecked_into::<JsStream>())) as Bytes);
        let headers = Headers(response.headers());
        let headers = headers.entries().map(|(name, value)| (name.to_lowercase(), value)).collect();
        Ok(ServiceAnswer { status: response.status(), headers, body })
    }
}

/// Leaves out the runtime's message, because it could contain parts of the request.
fn unreachable() -> S3Error {
    S3Error::new(Code::ServiceUnavailable, "the service does not respond")
}
