//! Previews: who may share and open a port, and until when.

use crate::world::{World, content, now, snapshot};
use serde_json::{Value, json};
use snapshotter::api::operation::{Operation, run};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{RestoreKind, TicketId};
use snapshotter::domain::limits::{
    FRAME_ANCESTORS_MAX, PREVIEWS_MAX, TICKET_TTL_MS, TICKETS_MAX, VISITS_BURST,
};
use snapshotter::domain::session::preview::PreviewClaims;
use snapshotter::domain::session::scope::{Caller, Scopes};
use snapshotter::domain::session::ticket::TicketClaims;
use snapshotter::domain::session::token::TokenKeys;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{Abort, Session, UsedTicket};

const KEYS: &str = "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

fn opened(world: &World) -> Session {
    world.open_with("sess", json!({ "previewPorts": [80, 5173] }))
}

fn ask(
    world: &World,
    host: &Session,
    caller: &Caller,
    op: &str,
    args: Value,
) -> Result<Value, Error> {
    let call = Operation::parse(op, args).unwrap().into();
    now(run(host, caller, call, &Abort::default(), &world.clock, &world.log, String::new))
}

fn operator(world: &World, host: &Session, op: &str, args: Value) -> Result<Value, ErrorCode> {
    ask(world, host, &Caller::Operator, op, args).map_err(|error| error.code)
}

fn share(world: &World, host: &Session, args: Value) -> Value {
    operator(world, host, "sharePreview", args).unwrap()
}

/// The holder of a link, as the Worker reads it.
fn visitor(shared: &Value) -> Caller {
    let signed = shared["url"].as_str().unwrap().rsplit_once('#').unwrap().1;
    let claims: PreviewClaims = TokenKeys::parse(KEYS).unwrap().verify(signed, 0).unwrap();
    assert_eq!(
        (claims.session.as_str(), claims.preview.as_str()),
        ("sess", shared["id"].as_str().unwrap())
    );
    Caller::Preview { id: claims.preview }
}

fn open(world: &World, host: &Session, caller: &Caller, port: u16) -> Result<Value, ErrorCode> {
    ask(world, host, caller, "openPort", json!({ "port": port })).map_err(|error| error.code)
}

fn check(world: &World, host: &Session, caller: &Caller) -> Result<Value, ErrorCode> {
    let args = json!({ "port": 80, "onlyChecks": true });
    ask(world, host, caller, "openPort", args).map_err(|error| error.code)
}

/// A new session token, as the Worker authenticates it.
fn holder(world: &World, host: &Session, scopes: Value, secs: u32) -> (Caller, Value) {
    let args = json!({ "scopes": scopes.clone(), "ttlSeconds": secs });
    let made = operator(world, host, "createToken", args).unwrap();
    let id = serde_json::from_value(made["id"].clone()).unwrap();
    let scopes: Scopes = serde_json::from_value(scopes).unwrap();
    (Caller::Token { id, scopes }, made["id"].clone())
}

#[test]
fn a_link_opens_its_port_of_its_workspace_until_it_is_revoked_or_ends() {
    let world = World::new();
    let host = opened(&world);
    let (revoked, ends) = (
        share(&world, &host, json!({ "port": 80 })),
        share(&world, &host, json!({ "port": 80, "ttlSeconds": 60 })),
    );
    assert_eq!(world.starts.get(), 0, "sharing starts nothing");
    let url = revoked["url"].as_str().unwrap();
    let id = revoked["id"].as_str().unwrap();
    assert!(
        url.starts_with(&format!("https://open.preview.example.com/80--{id}#spv1.k1.")),
        "{url}"
    );
    let (first, second) = (visitor(&revoked), visitor(&ends));
    assert_eq!(
        check(&world, &host, &first).unwrap(),
        json!({ "sandbox": "sess", "instance": null })
    );
    assert_eq!(world.starts.get(), 0, "a check starts nothing");
    let opened = open(&world, &host, &first, 80).unwrap();
    assert_eq!((&opened["sandbox"], world.starts.get()), (&json!("sess"), 1));
    assert!(opened["instance"].is_string());
    // The session allows it, and the link does not.
    assert_eq!(open(&world, &host, &first, 5173), Err(ErrorCode::NotFound));
    let list = |host: &Session| operator(&world, host, "listPreviews", json!({})).unwrap();
    assert_eq!(list(&host)["previews"].as_array().unwrap().len(), 2);
    assert!(!list(&host).to_string().contains("spv1"), "links are nowhere");
    for _again in 0..2 {
        let args = json!({ "preview": id });
        assert_eq!(operator(&world, &host, "revokePreview", args), Ok(json!({ "revoked": true })));
    }
    for host in [&host, &world.host("sess")] {
        assert_eq!(open(&world, host, &first, 80), Err(ErrorCode::NotFound));
        assert_eq!(check(&world, host, &first), Err(ErrorCode::NotFound));
        assert!(open(&world, host, &second, 80).is_ok());
    }
    world.clock.advance(60_000);
    assert_eq!(open(&world, &host, &second, 80), Err(ErrorCode::NotFound));
    assert_eq!(list(&host), json!({ "previews": [] }));
    let events = operator(&world, &host, "listEvents", json!({})).unwrap().to_string();
    assert!(events.contains("preview.shared") && events.contains("preview.revoked"));
    let log = serde_json::to_string(&*world.log.0.borrow()).unwrap();
    let mac = url.rsplit_once('.').unwrap().1;
    assert!(log.contains(id) && !log.contains(mac) && !events.contains(mac));
    for table in ["previews", "events"] {
        assert!(!world.database_text(&format!("SELECT * FROM {table}")).contains(mac), "{table}");
    }
}

#[test]
fn a_link_allows_nothing_else() {
    let world = World::new();
    let host = opened(&world);
    let visitor = visitor(&share(&world, &host, json!({ "port": 80 })));
    for (op, args) in [
        ("sharePreview", json!({ "port": 80 })),
        ("listPreviews", json!({})),
        ("list", json!({})),
        ("listTokens", json!({})),
        ("callTool", json!({ "name": "workspace_run", "input": { "command": "ls" } })),
    ] {
        let refused = ask(&world, &host, &visitor, op, args).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Forbidden, "{op}");
    }
}

#[test]
fn a_fork_has_its_own() {
    let world = World::new();
    let host = opened(&world);
    content(&host);
    let origin = visitor(&share(&world, &host, json!({ "port": 80 })));
    let selector = SnapshotSelector::Id(snapshot(&host));
    let abort = Abort::default();
    let made = host.make_workspace(RestoreKind::Branch, &selector, false, &abort);
    let branch = now(made).unwrap().r#ref.sandbox_id().to_string();
    let forks = visitor(&share(&world, &host, json!({ "port": 80, "workspace": branch })));
    let place = |caller: &Caller| open(&world, &host, caller, 80).unwrap()["sandbox"].clone();
    assert_eq!((place(&origin), place(&forks)), (json!("sess"), json!(branch)));
}

#[test]
fn ports_are_off_unless_an_open_lists_them() {
    let world = World::new();
    let host = world.open("sess");
    for op in ["sharePreview", "openPort"] {
        let refused = ask(&world, &host, &Caller::Operator, op, json!({ "port": 80 })).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Forbidden);
        assert!(refused.hint.unwrap().contains("previewPorts"));
    }
    assert_eq!(world.starts.get(), 0);
    let open =
        |config: Value| now(world.host("sess").open(serde_json::from_value(config).unwrap()));
    // A later open widens what the owner sees, and an open without the field leaves it.
    open(json!({ "previewPorts": [80] })).unwrap();
    assert!(operator(&world, &host, "sharePreview", json!({ "port": 80 })).is_ok());
    open(json!({})).unwrap();
    assert!(operator(&world, &host, "sharePreview", json!({ "port": 80 })).is_ok());
    open(json!({ "previewPorts": [] })).unwrap();
    assert!(operator(&world, &host, "sharePreview", json!({ "port": 80 })).is_err());
    // What guards stays.
    let refused = open(json!({ "network": { "mode": "off" } })).unwrap_err();
    assert_eq!(
        (refused.code, &refused.details.unwrap()["fields"]),
        (ErrorCode::Conflict, &json!(["network"]))
    );
    for ports in [json!([0]), json!((1..=17).collect::<Vec<u16>>())] {
        let wrong = now(world
            .host("other")
            .open(serde_json::from_value(json!({ "previewPorts": ports })).unwrap()));
        assert_eq!(wrong.unwrap_err().code, ErrorCode::InvalidArgument);
    }
}

#[test]
fn a_port_needs_write_and_a_link_ends_with_its_makers_token() {
    let world = World::new();
    let host = opened(&world);
    let (reader, _) = holder(&world, &host, json!(["read", "snapshot", "admin"]), 600);
    assert_eq!(open(&world, &host, &reader, 80), Err(ErrorCode::Forbidden));
    assert_eq!(
        ask(&world, &host, &reader, "sharePreview", json!({ "port": 80 })).unwrap_err().code,
        ErrorCode::Forbidden
    );
    let (writer, id) = holder(&world, &host, json!(["write"]), 600);
    assert!(open(&world, &host, &writer, 80).is_ok());
    let shared =
        ask(&world, &host, &writer, "sharePreview", json!({ "port": 80, "ttlSeconds": 6_000 }))
            .unwrap();
    let kept = visitor(&share(&world, &host, json!({ "port": 80 })));
    let listed = operator(&world, &host, "listTokens", json!({})).unwrap();
    let token =
        listed["tokens"].as_array().unwrap().iter().find(|token| token["id"] == id).unwrap();
    assert_eq!(shared["expiresAt"], token["expiresAt"], "no longer than the token");
    let visitor = visitor(&shared);
    assert!(open(&world, &host, &visitor, 80).is_ok());
    operator(&world, &host, "revokeToken", json!({ "tokenId": id })).unwrap();
    assert_eq!(open(&world, &host, &visitor, 80), Err(ErrorCode::NotFound));
    assert!(open(&world, &host, &kept, 80).is_ok());
}

#[test]
fn what_is_asked_for_is_checked() {
    let world = World::new();
    let host = opened(&world);
    for ttl in [json!(0), json!(30 * 86_400 + 1)] {
        let args = json!({ "port": 80, "ttlSeconds": ttl });
        assert_eq!(operator(&world, &host, "sharePreview", args), Err(ErrorCode::InvalidArgument));
    }
    let args = json!({ "port": 80, "workspace": "sess-branch-00000000" });
    assert_eq!(operator(&world, &host, "sharePreview", args), Err(ErrorCode::WorkspaceNotOwned));
    for _ in 0..PREVIEWS_MAX {
        share(&world, &host, json!({ "port": 80, "ttlSeconds": 60 }));
    }
    assert_eq!(
        operator(&world, &host, "sharePreview", json!({ "port": 80 })),
        Err(ErrorCode::QuotaExceeded)
    );
    world.clock.advance(60_000);
    share(&world, &host, json!({ "port": 80 }));
    assert_eq!(world.database_count("SELECT count(*) AS count FROM previews"), 1);
}

/// A visitor's exchange of a link for a code's id, and of that for the cookie.
fn code(world: &World, host: &Session, caller: &Caller, step: Value) -> Result<Value, ErrorCode> {
    let args = json!({ "port": 80, "onlyChecks": true, "code": step });
    ask(world, host, caller, "openPort", args).map_err(|error| error.code)
}

#[test]
fn a_code_is_good_once_for_its_preview_and_for_half_a_minute() {
    let world = World::new();
    let host = opened(&world);
    let shared = share(&world, &host, json!({ "port": 80 }));
    let (caller, other) = (visitor(&shared), visitor(&share(&world, &host, json!({ "port": 80 }))));
    let make = || {
        let made = code(&world, &host, &caller, json!("make")).unwrap();
        json!({ "use": made["code"].clone() })
    };
    let once = make();
    assert!(code(&world, &host, &caller, once.clone()).is_ok());
    assert_eq!(code(&world, &host, &caller, once), Err(ErrorCode::Unauthenticated), "twice");
    let stolen = make();
    assert_eq!(code(&world, &host, &other, stolen.clone()), Err(ErrorCode::Unauthenticated));
    let used_up = code(&world, &host, &caller, stolen);
    assert_eq!(used_up, Err(ErrorCode::Unauthenticated), "a try uses it up");
    let late = make();
    world.clock.advance(TICKET_TTL_MS);
    assert_eq!(code(&world, &host, &caller, late), Err(ErrorCode::Unauthenticated), "late");
    let before_restart = make();
    let again = world.host("sess");
    assert_eq!(code(&world, &again, &caller, before_restart), Err(ErrorCode::Unauthenticated));
    let revoked = make();
    operator(&world, &host, "revokePreview", json!({ "preview": shared["id"] })).unwrap();
    assert_eq!(code(&world, &host, &caller, revoked), Err(ErrorCode::NotFound));
    assert_eq!(world.starts.get(), 0, "no exchange starts a container");
}

/// Makes a ticket, and reads its id as the Worker does.
fn ticket(
    world: &World,
    host: &Session,
    caller: &Caller,
    path: &str,
) -> Result<TicketId, ErrorCode> {
    let made = ask(world, host, caller, "createTicket", json!({ "path": path }));
    let made = made.map_err(|error| error.code)?;
    let keys = TokenKeys::parse(KEYS).unwrap();
    let now_ms = world.clock.now_ms();
    let claims: TicketClaims = keys.verify(made["ticket"].as_str().unwrap(), now_ms).unwrap();
    assert_eq!((claims.session.as_str(), claims.expires_at_ms), ("sess", now_ms + TICKET_TTL_MS));
    Ok(claims.id)
}

#[test]
fn a_ticket_stands_for_its_maker_once_at_one_path_for_half_a_minute() {
    let world = World::new();
    let host = opened(&world);
    let used = |host: &Session, id: &TicketId, path: &str| {
        let used = UsedTicket { id: id.clone(), path: path.to_owned() };
        host.use_ticket(&used).map_err(|error| error.code)
    };
    let (writer, _) = holder(&world, &host, json!(["write"]), 600);
    for caller in [&Caller::Operator, &writer] {
        let id = ticket(&world, &host, caller, "/terminal").unwrap();
        assert_eq!(used(&host, &id, "/terminal").as_ref(), Ok(caller));
        assert_eq!(used(&host, &id, "/terminal"), Err(ErrorCode::Unauthenticated), "twice");
    }
    let id = ticket(&world, &host, &writer, "/ports/80/ws").unwrap();
    assert_eq!(used(&host, &id, "/ports/80/other"), Err(ErrorCode::Unauthenticated));
    assert_eq!(used(&host, &id, "/ports/80/ws"), Err(ErrorCode::Unauthenticated), "used up");
    let id = ticket(&world, &host, &writer, "/terminal").unwrap();
    world.clock.advance(TICKET_TTL_MS);
    assert_eq!(used(&host, &id, "/terminal"), Err(ErrorCode::Unauthenticated), "late");
    let id = ticket(&world, &host, &writer, "/terminal").unwrap();
    assert_eq!(used(&world.host("sess"), &id, "/terminal"), Err(ErrorCode::Unauthenticated));
    let (reader, _) = holder(&world, &host, json!(["read", "snapshot", "admin"]), 600);
    assert_eq!(ticket(&world, &host, &reader, "/terminal"), Err(ErrorCode::Forbidden));
    assert_eq!(ticket(&world, &host, &writer, "/tokens"), Err(ErrorCode::InvalidArgument));
    let log = serde_json::to_string(&*world.log.0.borrow()).unwrap();
    assert!(log.contains("createTicket") && !log.contains("stk1."), "{log}");
}

#[test]
fn unused_tickets_are_few_and_visitors_have_their_own() {
    let world = World::new();
    let host = opened(&world);
    let visitor = visitor(&share(&world, &host, json!({ "port": 80 })));
    for _ in 0..TICKETS_MAX {
        code(&world, &host, &visitor, json!("make")).unwrap();
    }
    let refused = code(&world, &host, &visitor, json!("make"));
    assert_eq!(refused, Err(ErrorCode::QuotaExceeded));
    for _ in 0..TICKETS_MAX {
        ticket(&world, &host, &Caller::Operator, "/terminal").unwrap();
    }
    let refused = ticket(&world, &host, &Caller::Operator, "/terminal");
    assert_eq!(refused, Err(ErrorCode::QuotaExceeded));
    world.clock.advance(TICKET_TTL_MS);
    assert!(ticket(&world, &host, &Caller::Operator, "/terminal").is_ok());
}

#[test]
fn a_closed_network_has_previews_only_where_the_opener_asks_for_both() {
    let world = World::new();
    let open =
        |host: &Session, config: Value| now(host.open(serde_json::from_value(config).unwrap()));
    let fresh = || World::new().host("sess");
    let ports = json!([80]);
    for network in [
        json!({ "network": { "mode": "off" } }),
        json!({ "network": { "mode": "allowlist", "hosts": ["example.com"] } }),
        json!({ "network": { "mode": "off", "previews": false } }),
        json!({ "enableInternet": false }),
    ] {
        let mut config = network.clone();
        assert!(open(&fresh(), config.clone()).is_ok(), "{network}");
        config["previewPorts"] = ports.clone();
        let refused = open(&fresh(), config).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument, "{network}");
        assert!(refused.message.starts_with("previewPorts: "), "{refused}");
        assert!(refused.hint.unwrap().contains("network.previews"));
    }
    for network in [
        json!({ "mode": "off", "previews": true }),
        json!({ "mode": "allowlist", "hosts": [], "previews": true }),
        json!({ "mode": "open" }),
    ] {
        let config = json!({ "network": network, "previewPorts": ports });
        let host = fresh();
        assert!(open(&host, config.clone()).is_ok(), "{config}");
        assert!(open(&host, config).is_ok(), "again");
    }
    // A later open can't let data out of a closed network either.
    let host = fresh();
    open(&host, json!({ "network": { "mode": "off" } })).unwrap();
    let config = json!({ "network": { "mode": "off" }, "previewPorts": ports });
    assert_eq!(open(&host, config).unwrap_err().code, ErrorCode::InvalidArgument);
    // A session of an earlier version keeps what its opener chose.
    let config = json!({ "network": { "mode": "off", "previews": true }, "previewPorts": ports });
    let host = world.open_with("sess", config);
    world.sql("UPDATE session SET config = replace(config, ',\"previews\":true', '')");
    assert!(!world.database_text("SELECT config FROM session").contains("previews\":true"));
    assert!(operator(&world, &host, "sharePreview", json!({ "port": 80 })).is_ok());
    let config = json!({ "network": { "mode": "off" }, "previewPorts": ports });
    assert!(open(&host, config).is_ok(), "it opens again with an equal config");
}

#[test]
fn a_link_says_which_pages_may_embed_its_preview() {
    let world = World::new();
    let host = opened(&world);
    let origins = json!(["https://app.example.com", "http://localhost:3000"]);
    let shared = share(&world, &host, json!({ "port": 80, "frameAncestors": origins }));
    let signed = shared["url"].as_str().unwrap().rsplit_once('#').unwrap().1;
    let claims: PreviewClaims = TokenKeys::parse(KEYS).unwrap().verify(signed, 0).unwrap();
    assert_eq!(serde_json::to_value(claims.frame_ancestors).unwrap(), origins);
    assert!(open(&world, &host, &visitor(&shared), 80).is_ok());
    let many = vec!["https://a.example"; FRAME_ANCESTORS_MAX + 1];
    let args = json!({ "port": 80, "frameAncestors": many });
    assert_eq!(operator(&world, &host, "sharePreview", args), Err(ErrorCode::InvalidArgument));
}

#[test]
fn visitors_leave_the_sessions_calls_their_room() {
    let world = World::new();
    let host = opened(&world);
    let visitor = visitor(&share(&world, &host, json!({ "port": 80 })));
    for _ in 0..VISITS_BURST {
        check(&world, &host, &visitor).unwrap();
    }
    assert_eq!(check(&world, &host, &visitor), Err(ErrorCode::RateLimited));
    assert!(operator(&world, &host, "listPreviews", json!({})).is_ok());
    world.clock.advance(10);
    assert!(check(&world, &host, &visitor).is_ok());
}
