//! The kernel's rules that bring the container's connections and queries to us.
//!
//! The container's processes could only avoid them by a capability that they
//! don't have: to change rules, or to mark packets.

use crate::Result;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Redirected connections arrive here.
pub const TCP_PORT: u16 = 41209;
/// Redirected queries arrive here.
pub const DNS_PORT: u16 = 41053;
/// Marks our own packets, which the rules let pass.
pub const MARK: u32 = 100;

/// Puts the rules in place, or removes them. Replaces earlier ones at once: there is
/// no moment without any.
pub async fn set(intercept: bool, internet: bool) -> Result<()> {
    let mut rules = "table inet sidecar\ndelete table inet sidecar\n".to_owned();
    if !intercept {
        // Nothing is redirected, but connections are tracked: rules that come later then know
        // which ones began before, such as the one that asks for those rules.
        rules += "table inet sidecar {
                chain tracked {
                    type filter hook output priority 0
                    ct state established accept
                }
            }\n";
    } else {
        // The redirect makes an address local. All else that is not marked, such as UDP,
        // passes only where the Internet is on.
        let rest = if internet { "accept" } else { "reject" };
        rules += &format!(
            "table inet sidecar {{
                chain redirected {{
                    type nat hook output priority -100
                    meta mark {MARK} accept
                    fib daddr type local accept
                    meta nfproto ipv4 meta l4proto tcp redirect to :{TCP_PORT}
                    meta nfproto ipv4 udp dport 53 redirect to :{DNS_PORT}
                }}
                chain rest {{
                    type filter hook output priority 0
                    meta mark {MARK} accept
                    ct state established,related accept
                    fib daddr type local accept
                    {rest}
                }}
            }}\n"
        );
    }
    let mut nft = Command::new("nft").args(["-f", "-"]).stdin(Stdio::piped()).spawn()?;
    let mut stdin = nft.stdin.take().ok_or("nft has no stdin")?;
    stdin.write_all(rules.as_bytes()).await?;
    drop(stdin);
    let status = nft.wait().await?;
    if status.success() { Ok(()) } else { Err(format!("nft: {status}").into()) }
}
