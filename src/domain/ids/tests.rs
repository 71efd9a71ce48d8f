use super::*;
use proptest::prelude::*;

#[test]
fn origin_format_unchanged() {
    let origin = |id: &str| SessionId::parse(id).unwrap().origin().to_string();
    assert_eq!(origin("my-session"), "my-session");
    assert_eq!(origin("User@example.com"), "s-user-example-com-fw7xnjkdgmt36dq5ex8z3hnh5r");
    let readable = |id: &str| {
        let origin = origin(id);
        let (shown, hash) = origin.rsplit_once('-').unwrap();
        assert!(origin.len() <= ORIGIN_MAX_CHARS && hash.len() == 26, "{origin}");
        shown.to_owned()
    };
    assert_eq!(readable("Alice"), "s-alice");
    assert_eq!(readable("user_1"), "s-user-1");
    assert_eq!(readable("__user..1__"), "s-user-1");
    assert_eq!(
        readable("A very@long_name-of:somebody".replace(' ', "_").as_str()),
        "s-a-very-long-name"
    );
    // An id that would look like another kind of sandbox has only its hash.
    for hidden in ["Pool", "pool.x", "Clean", "x-Branch-y", "Branch-y", "..."] {
        assert_eq!(readable(hidden), "s", "{hidden}");
    }
    for hashed in [
        "www",
        "a-",
        "-a",
        "s-x",
        "shared-x",
        "x-restored-00000000",
        "x-branch-y",
        "UPPER",
        &"x".repeat(46),
    ] {
        let origin = origin(hashed);
        let hash = origin.rsplit('-').next().unwrap();
        assert!(origin.starts_with("s-") && hash.len() == 26, "{hashed}: {origin}");
    }
}

#[test]
fn made_id_format_unchanged() {
    let origin = SandboxId::parse("my-session").unwrap();
    assert_eq!(
        SandboxId::made(&origin, RestoreKind::Restored, [0, 1, 2, 3, 4]).as_str(),
        "my-session-restored-000g40r4"
    );
    assert_eq!(
        SandboxId::made(&origin, RestoreKind::Branch, [255; 5]).as_str(),
        "my-session-branch-zzzzzzzz"
    );
}

#[test]
fn clean_id_format_unchanged() {
    let id = SandboxId::clean([7; 16]);
    assert_eq!(id.as_str(), "s-clean-0w3ge1r70w3ge1r70w3ge1r70w");
    assert!(!id.is_pooled() && !id.is_shared());
    assert_eq!(SandboxId::parse(id.as_str()).unwrap(), id);
    assert_ne!(SessionId::parse(id.as_str()).unwrap().origin(), id);
}

#[test]
fn pooled_id_format_unchanged() {
    let id = SandboxId::pooled([7; 16]);
    assert_eq!(id.as_str(), "s-pool-0w3ge1r70w3ge1r70w3ge1r70w");
    assert!(id.is_pooled());
    assert_eq!(SandboxId::parse(id.as_str()).unwrap(), id);
    assert!(!SessionId::parse(id.as_str()).unwrap().origin().is_pooled());
}

#[test]
fn uppercase_sandbox_id_is_refused_by_name() {
    let error = SandboxId::parse("Mixed-Case").unwrap_err();
    assert!(error.message.contains("uppercase"), "{error}");
}

#[test]
fn backup_ids_are_lowercase_uuid_v4_only() {
    assert!(BackupId::parse("7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db").is_ok());
    for bad in [
        "",
        "7F8A5BD6-14F0-4C0D-BCDB-489856F1E7DB",
        "7f8a5bd6-14f0-1c0d-bcdb-489856f1e7db",
        "7f8a5bd6-14f0-4c0d-ccdb-489856f1e7db",
        "7f8a5bd614f04c0dbcdb489856f1e7db",
        "../../../../../../../../../../etc/passwd",
        "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7d\n",
    ] {
        assert!(BackupId::parse(bad).is_err(), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn fresh_backup_ids_parse(bytes in any::<[u8; 16]>()) {
        let id = BackupId::from_random(bytes);
        prop_assert_eq!(BackupId::parse(id.as_str()).unwrap(), id);
    }

    #[test]
    fn fresh_instance_ids_parse(bytes in any::<[u8; 16]>()) {
        let id = InstanceId::from_random(bytes);
        prop_assert_eq!(InstanceId::parse(id.as_str()).unwrap(), id);
    }

    #[test]
    fn every_origin_and_made_is_a_sandbox_id(
        session in "[A-Za-z0-9._:@-]{1,128}",
        random in any::<[u8; 5]>(),
    ) {
        let Ok(session) = SessionId::parse(&session) else { return Ok(()) };
        let origin = session.origin();
        prop_assert!(SandboxId::parse(origin.as_str()).is_ok());
        prop_assert!(!origin.is_shared());
        for kind in RestoreKind::ALL {
            let made = SandboxId::made(&origin, kind, random);
            prop_assert!(SandboxId::parse(made.as_str()).is_ok());
            // A session named after a made workspace gets another sandbox.
            if let Ok(impostor) = SessionId::parse(made.as_str()) {
                prop_assert_ne!(impostor.origin(), made);
            }
        }
        // So does a session named after a hashed origin.
        if origin.as_str() != session.as_str() {
            let impostor = SessionId::parse(origin.as_str()).unwrap();
            prop_assert_ne!(impostor.origin(), origin);
        }
    }

    #[test]
    fn distinct_sessions_have_distinct_origins(a in "[a-z0-9._:@-]{1,60}", b in "[a-z0-9._:@-]{1,60}") {
        let (Ok(a), Ok(b)) = (SessionId::parse(&a), SessionId::parse(&b)) else { return Ok(()) };
        prop_assert_eq!(a == b, a.origin() == b.origin());
    }
}
