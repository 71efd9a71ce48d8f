//! Stand-in for `cloudflare/proxy-everything`. Without this sidecar, workerd
//! starts no container. It shares the container's network.
//!
//! workerd tells it on port 39001 what to intercept ([`ingress`]). While there is
//! anything to intercept, the kernel redirects the container's connections and
//! DNS queries to us ([`rules`]). We ask workerd about each connection
//! ([`egress`]), and answer queries ourselves where the Internet is off ([`dns`]).

mod authority;
mod dns;
mod egress;
mod head;
mod ingress;
mod rules;
mod settings;

use authority::Authority;
use settings::Settings;
use std::rc::Rc;
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::LocalSet;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What all tasks share.
pub struct Sidecar {
    pub settings: Settings,
    pub authority: Authority,
}

// We need not handle SIGTERM: the image sets SIGKILL as its stop signal.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let sidecar = Rc::new(Sidecar {
        settings: Settings::from_arguments(std::env::args().skip(1))?,
        authority: Authority::new()?,
    });
    // A kernel without these rules still has containers: only interception then fails.
    if let Err(error) = rules::set(false, true).await {
        eprintln!("connections are not tracked: {error}");
    }
    let ingress = TcpListener::bind(("0.0.0.0", settings::INGRESS_PORT)).await?;
    let connections = TcpListener::bind(("127.0.0.1", rules::TCP_PORT)).await?;
    let queries = UdpSocket::bind(("127.0.0.1", rules::DNS_PORT)).await?;
    LocalSet::new()
        .run_until(async {
            tokio::join!(
                ingress::serve(&sidecar, ingress),
                egress::serve(&sidecar, connections),
                dns::serve(&sidecar, queries),
            )
        })
        .await;
    Ok(())
}

/// Runs a connection's work beside all others. A failure is only logged.
pub fn spawn(work: impl Future<Output = Result<()>> + 'static) {
    tokio::task::spawn_local(async move {
        if let Err(error) = work.await {
            eprintln!("{error}");
        }
    });
}
