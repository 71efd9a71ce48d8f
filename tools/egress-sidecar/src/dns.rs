//! The container's DNS queries. Where the Internet is on, a server answers them.
//! Names that are intercepted resolve even if no server knows them: the address
//! does not matter, because we ask workerd by the name.

use crate::rules::MARK;
use crate::{Result, Sidecar, spawn};
use socket2::SockRef;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

/// The address of each name that only we know.
const PLACEHOLDER: Ipv4Addr = Ipv4Addr::new(11, 0, 0, 1);
/// Short: on a machine without DNS, each intercepted name costs as much.
const SERVER_TIMEOUT: Duration = Duration::from_secs(2);
/// Ports that we ask from. The kernel gives clients none of them. For half a minute after our query,
/// it would take a client's query from the same port for ours, and would not redirect it.
const OUR_PORTS: Range<u16> = 20_000..32_000;
const HEADER_BYTES: usize = 12;
const TYPE_A: u16 = 1;
const CLASS_IN: u16 = 1;
const NO_ERROR: u8 = 0;
const NO_SUCH_NAME: u8 = 3;
const TTL_SECS: u32 = 60;

pub async fn serve(sidecar: &Rc<Sidecar>, socket: UdpSocket) {
    let socket = Rc::new(socket);
    loop {
        let mut query = vec![0; 4096];
        if let Ok((length, from)) = socket.recv_from(&mut query).await {
            query.truncate(length);
            spawn(answer(sidecar.clone(), socket.clone(), query, from));
        }
    }
}

async fn answer(
    sidecar: Rc<Sidecar>,
    socket: Rc<UdpSocket>,
    query: Vec<u8>,
    from: SocketAddr,
) -> Result<()> {
    let question = Question::read(&query).ok_or("a DNS query that is none")?;
    let known = sidecar.settings.knows(&question.name);
    // No server knows a name below `internal`, and it is reserved for such uses as ours.
    let is_ours = known && question.name.ends_with(".internal");
    if sidecar.settings.internet.get() && !is_ours {
        let answer = timeout(SERVER_TIMEOUT, ask_server(&query)).await;
        if let Ok(Ok(answer)) = answer
            && (!known || answer.get(3).is_some_and(|flags| flags & 0xf == NO_ERROR))
        {
            socket.send_to(&answer, from).await?;
            return Ok(());
        }
    }
    if known || !sidecar.settings.internet.get() {
        socket.send_to(&question.answer(&query, known), from).await?;
    }
    Ok(())
}

/// Asks the first configured server.
async fn ask_server(query: &[u8]) -> Result<Vec<u8>> {
    let configuration = std::fs::read_to_string("/etc/resolv.conf")?;
    let server = configuration.lines().find_map(|line| line.strip_prefix("nameserver "));
    let server = SocketAddr::new(server.ok_or("there is no DNS server")?.trim().parse()?, 53);
    let socket = socket_for_query().await?;
    SockRef::from(&socket).set_mark(MARK)?;
    socket.connect(server).await?;
    socket.send(query).await?;
    let mut answer = vec![0; 64 * 1024];
    let length = socket.recv(&mut answer).await?;
    answer.truncate(length);
    Ok(answer)
}

async fn socket_for_query() -> Result<UdpSocket> {
    static ASKED: AtomicU16 = AtomicU16::new(0);
    for _ in OUR_PORTS {
        let port = OUR_PORTS.start + ASKED.fetch_add(1, Ordering::Relaxed) % OUR_PORTS.len() as u16;
        match UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port)).await {
            // By a server in the container, or by an earlier query.
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            bound => return Ok(bound?),
        }
    }
    Err("no port is free to ask a DNS server from".into())
}

/// The question of a query that asks one.
struct Question {
    name: String,
    asks_for_address: bool,
    /// Where it ends in the query.
    end: usize,
}

impl Question {
    fn read(query: &[u8]) -> Option<Self> {
        if query.get(4..6)? != [0, 1] {
            return None;
        }
        let (mut labels, mut at) = (Vec::new(), HEADER_BYTES);
        loop {
            let length = usize::from(*query.get(at)?);
            at += 1;
            if length == 0 {
                break;
            }
            // A question has no compressed name.
            if length > 63 {
                return None;
            }
            labels.push(String::from_utf8_lossy(query.get(at..at + length)?).into_owned());
            at += length;
        }
        let number = |at: usize| Some(u16::from_be_bytes(query.get(at..at + 2)?.try_into().ok()?));
        let asks_for_address = (number(at)?, number(at + 2)?) == (TYPE_A, CLASS_IN);
        Some(Self { name: labels.join("."), asks_for_address, end: at + 4 })
    }

    /// Our own answer. A known name has the placeholder as its address, and no other
    /// records. Any other name does not exist.
    fn answer(&self, query: &[u8], known: bool) -> Vec<u8> {
        let mut answer = query.get(..self.end).unwrap_or_default().to_vec();
        let has_address = known && self.asks_for_address;
        let code = if known { NO_ERROR } else { NO_SUCH_NAME };
        if let Some(header) = answer.get_mut(2..HEADER_BYTES) {
            // An answer, with the query's wish for recursion, and recursion available.
            let wish = header[0] & 1;
            header.copy_from_slice(&[
                0x80 | wish,
                0x80 | code,
                0,
                1,
                0,
                has_address.into(),
                0,
                0,
                0,
                0,
            ]);
        }
        if has_address {
            // The name is the question's, at the end of the header.
            answer.extend([0xc0, HEADER_BYTES as u8]);
            answer.extend(TYPE_A.to_be_bytes());
            answer.extend(CLASS_IN.to_be_bytes());
            answer.extend(TTL_SECS.to_be_bytes());
            answer.extend([0, 4]);
            answer.extend(PLACEHOLDER.octets());
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = &[7, 8, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];

    fn query(asked: u8) -> Vec<u8> {
        [HEADER, b"\x01a\x07example\x00", &[0, asked, 0, 1]].concat()
    }

    #[test]
    fn a_known_name_has_the_placeholder_and_nothing_else() {
        let asked = query(1);
        let question = Question::read(&asked).unwrap();
        assert_eq!(question.name, "a.example");
        let answer = question.answer(&asked, true);
        assert_eq!(answer[..12], [7, 8, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(answer[answer.len() - 4..], [11, 0, 0, 1]);
        let asked = query(28);
        let empty = Question::read(&asked).unwrap().answer(&asked, true);
        assert_eq!((empty[3] & 15, empty[7], empty.len()), (0, 0, asked.len()));
    }

    #[test]
    fn an_unknown_name_does_not_exist() {
        let asked = query(1);
        let answer = Question::read(&asked).unwrap().answer(&asked, false);
        assert_eq!((answer[3] & 15, answer[7]), (3, 0));
    }

    #[test]
    fn broken_queries_are_no_questions() {
        for broken in [&b""[..], HEADER, b"\0\0\0\0\0\x02", &[HEADER, &[0xc0, 12]].concat()] {
            assert!(Question::read(broken).is_none(), "{broken:?}");
        }
    }
}
