use super::*;
use crate::domain::arguments::read;
use serde_json::json;

const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

fn selector(value: Value) -> Result<SnapshotSelector> {
    read("ref", value)
}

fn tree(value: Value) -> Result<TreeSelector> {
    read("from", value)
}

fn cursor(value: Value) -> TurnPlace {
    TurnPlace::Cursor(serde_json::from_value(value).unwrap())
}

#[test]
fn a_string_names_what_it_says() {
    for (text, named) in [
        ("latest", SnapshotSelector::Latest),
        ("head", SnapshotSelector::Head),
        ("turn:3", SnapshotSelector::Turn(TurnSelector::number(3))),
        (ID, SnapshotSelector::Id(BackupId::parse(ID).unwrap())),
        ("v1", SnapshotSelector::Name("v1".to_owned())),
        ("Latest", SnapshotSelector::Name("Latest".to_owned())),
    ] {
        assert_eq!(selector(json!(text)).unwrap(), named);
        assert_eq!(tree(json!(text)).unwrap(), TreeSelector::Snapshot(named));
    }
    let workspace = TreeSelector::Workspace(WorkspaceRef::new(SandboxId::parse("a-b").unwrap()));
    assert_eq!(tree(json!("workspace:a-b")).unwrap(), workspace);
    assert_eq!(tree(json!("now")).unwrap(), TreeSelector::Now);
    for bad in ["turn:", "turn:x", "turn:-1", "workspace:", "workspace:A", "workspace:../x"] {
        assert!(tree(json!(bad)).is_err(), "{bad}");
    }
    for workspace in ["now", "workspace:a-b"] {
        let error = selector(json!(workspace)).unwrap_err();
        assert!(error.message.contains("names a workspace"), "{error}");
    }
    for bad in [json!(1), json!(null), json!([ID]), json!({}), json!({ "providerId": "x" })] {
        assert!(selector(bad.clone()).is_err());
        assert!(tree(bad).is_err());
    }
}

#[test]
fn what_is_read_is_written_alike() {
    let snapshot = json!({
        "providerId": "cloudflare-sandbox",
        "ref": { "backup": { "id": ID, "dir": "/workspace" }, "originSandboxId": "a" }
    });
    let workspace = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "a" } });
    for text in ["latest", "head", ID, "v1"] {
        assert_eq!(json!(selector(json!(text)).unwrap()), json!(text));
    }
    for turn in [
        json!({ "turn": 3 }),
        json!({ "turn": 3, "atOrBefore": true }),
        json!({ "cursor": { "message": 7 } }),
    ] {
        assert_eq!(json!(selector(turn.clone()).unwrap()), turn);
    }
    assert_eq!(json!(selector(json!("turn:3")).unwrap()), json!({ "turn": 3 }));
    for (asked, written) in [
        (json!("now"), json!("now")),
        (json!("v1"), json!({ "snapshot": "v1" })),
        (json!({ "snapshot": "v1" }), json!({ "snapshot": "v1" })),
        (json!({ "workspace": "a" }), json!({ "workspace": workspace })),
        (snapshot.clone(), json!({ "snapshot": snapshot })),
        (workspace.clone(), json!({ "workspace": workspace })),
        (json!({ "turn": 3 }), json!({ "snapshot": { "turn": 3 } })),
    ] {
        assert_eq!(json!(tree(asked).unwrap()), written);
        assert_eq!(json!(tree(written.clone()).unwrap()), written);
    }
}

#[test]
fn a_turn_is_named_by_its_number_or_its_cursor() {
    let named = |value| match selector(value).unwrap() {
        SnapshotSelector::Turn(turn) => turn,
        other => panic!("{other:?}"),
    };
    let before = named(json!({ "atOrBefore": true, "cursor": 7 }));
    assert_eq!(before, TurnSelector { place: cursor(json!(7)), at_or_before: true });
    for bad in [
        json!({ "turn": "3" }),
        json!({ "turn": -1 }),
        json!({ "turn": 3, "cursor": 1 }),
        json!({ "atOrBefore": true }),
        json!({ "turn": 3, "providerId": "cloudflare-sandbox" }),
    ] {
        assert!(selector(bad).is_err());
    }
}

#[test]
fn no_name_looks_like_a_selector() {
    for reserved in ["latest", "head", "now", "turn:x", "workspace:a", "@{2h}"] {
        assert!(is_reserved(reserved), "{reserved}");
    }
    for free in ["Latest", "heads", "turn 3", "before:turn:3", "workspace"] {
        assert!(!is_reserved(free), "{free}");
        assert!(matches!(Named::parse(free).unwrap(), Named::Name(_)));
    }
}

#[test]
fn near_names_are_similar_or_contain_what_was_asked_for() {
    let names = || ["before-refactor", "after-refactor", "v1", "release"].map(str::to_owned);
    assert_eq!(nearest("before-refacor", names())[0], "before-refactor");
    assert_eq!(nearest("refactor", names()), ["after-refactor", "before-refactor"]);
    assert!(nearest("quite another", names()).is_empty());
}
