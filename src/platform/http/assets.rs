//! Static files of the Worker: the console and the OpenAPI document.

use super::finish;
use crate::api::http::{self, Answer};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::platform::convert::from_worker;
use worker::{Env, Fetcher, Headers, RequestInit, Response};

/// A static asset, because the document would be a tenth of the WebAssembly's size.
pub(super) async fn openapi(known: Option<String>, env: &Env) -> Result<Response> {
    // The document is the same for everyone until a deploy.
    asset("openapi.json", &[("cache-control", "public, max-age=300")], known, env).await
}

pub(super) async fn console(file: &str, known: Option<String>, env: &Env) -> Result<Response> {
    let response =
        asset(&format!("console/{file}"), &http::console_headers(file), known, env).await?;
    if response.status_code() == 404 { finish(Answer::no_route()) } else { Ok(response) }
}

/// A static asset, with these headers and the platform's `ETag`.
async fn asset(
    path: &str,
    headers: &[(&str, &str)],
    known: Option<String>,
    env: &Env,
) -> Result<Response> {
    let assets = env.assets("ASSETS").map_err(|error| {
        Error::new(ErrorCode::NotConfigured, "the binding ASSETS is missing")
            .with_hint(
                "add [assets] to wrangler.toml, with what tools/build.sh built in its directory",
            )
            .with_cause(error.to_string())
    })?;
    fetched(&assets, path, headers, known).await.map_err(|error| from_worker(&error))
}

async fn fetched(
    assets: &Fetcher,
    path: &str,
    headers: &[(&str, &str)],
    known: Option<String>,
) -> worker::Result<Response> {
    let mut init = RequestInit::new();
    if let Some(known) = known {
        let headers = Headers::new();
        headers.set("if-none-match", &known)?;
        init.with_headers(headers);
    }
    let response = assets.fetch(format!("http://assets/{path}"), Some(init)).await?;
    let all = response.headers().clone();
    for (name, value) in headers {
        all.set(name, value)?;
    }
    Ok(response.with_headers(all))
}
