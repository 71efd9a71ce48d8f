//! WebSockets between a viewer and a server in a container.

use crate::api::http::SUBPROTOCOL;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::PREVIEW_CHECK_EVERY_MS;
use crate::platform::clock::RuntimeClock;
use crate::platform::convert::from_worker;
use crate::ports::clock::Clock;
use futures::StreamExt;
use futures::future::{Either, select};
use js_sys::Reflect;
use std::pin::pin;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use worker::{Headers, Response, WebSocket, WebSocketPair, WebsocketEvent};

/// Close codes (RFC 6455, section 7.4.1). Some of them may be received but not sent.
const NORMAL: u16 = 1000;
const NOT_ALLOWED: u16 = 1008;
const NEVER_SENT: [u16; 4] = [1004, 1005, 1006, 1015];

type Close = (u16, String);

/// Connects a viewer with a server, until `still_allowed` refuses. `chosen` is the server's
/// subprotocol, `offered` are the viewer's.
pub fn connect(
    server: WebSocket,
    chosen: Option<String>,
    offered: Option<&str>,
    still_allowed: impl AsyncFn() -> Result<()> + 'static,
) -> Result<Response> {
    let WebSocketPair { client, server: viewer } =
        WebSocketPair::new().map_err(|error| from_worker(&error))?;
    spawn_local(pump(viewer, server, still_allowed));
    let response = Response::from_websocket(client).map_err(|error| from_worker(&error))?;
    // A browser that offered subprotocols closes the connection if none is chosen.
    let ours =
        || offered?.split(',').any(|one| one.trim() == SUBPROTOCOL).then(|| SUBPROTOCOL.to_owned());
    let Some(chosen) = chosen.or_else(ours) else { return Ok(response) };
    let headers = Headers::new();
    headers.set("sec-websocket-protocol", &chosen).map_err(|error| from_worker(&error))?;
    Ok(response.with_headers(headers))
}

async fn pump(viewer: WebSocket, server: WebSocket, still_allowed: impl AsyncFn() -> Result<()>) {
    let (to_server, to_viewer) = (pin!(copy(&viewer, &server)), pin!(copy(&server, &viewer)));
    let close = match select(select(to_server, to_viewer), pin!(refused(still_allowed))).await {
        Either::Left((Either::Left((close, _)) | Either::Right((close, _)), _))
        | Either::Right((close, _)) => close,
    };
    for socket in [&viewer, &server] {
        // This fails for the side that has closed the connection.
        let _ = socket.close(Some(close.0), Some(close.1.clone()));
    }
}

async fn copy(from: &WebSocket, to: &WebSocket) -> Close {
    let copied = async {
        let mut events = from.events()?;
        // The default of newer compatibility dates would need another await to read a message.
        Reflect::set(from.as_ref(), &"binaryType".into(), &JsValue::from_str("arraybuffer"))?;
        from.accept()?;
        while let Some(event) = events.next().await {
            match event? {
                WebsocketEvent::Message(message) => match message.text() {
                    Some(text) => to.send_with_str(text)?,
                    None => to.send_with_bytes(message.bytes().unwrap_or_default())?,
                },
                WebsocketEvent::Close(close) => return Ok((close.code(), close.reason())),
            }
        }
        Ok((NORMAL, String::new()))
    };
    let copied: worker::Result<Close> = copied.await;
    match copied {
        Ok((code, reason)) if !NEVER_SENT.contains(&code) => (code, reason),
        _ => (NORMAL, String::new()),
    }
}

/// Waits until the viewer may no longer reach the server.
async fn refused(still_allowed: impl AsyncFn() -> Result<()>) -> Close {
    loop {
        RuntimeClock.sleep_ms(PREVIEW_CHECK_EVERY_MS).await;
        if let Err(error) = still_allowed().await
            && !is_passing(&error)
        {
            return (NOT_ALLOWED, error.code.to_string());
        }
    }
}

/// Whether an error says nothing about the viewer's permission.
const fn is_passing(error: &Error) -> bool {
    matches!(error.code, ErrorCode::Unavailable | ErrorCode::RateLimited | ErrorCode::Internal)
}
