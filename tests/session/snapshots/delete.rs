//! Deleting snapshots of the session itself.

use crate::world::{World, now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::DeleteOptions;

#[test]
fn what_is_pinned_or_published_is_deleted_by_force_only() {
    let world = World::new();
    let host = world.open("sess");
    for edit in [json!({ "pinned": true }), json!({ "published": true })] {
        let id = snapshot(&host);
        world.write("sess", &edit.to_string());
        snapshot(&host);
        let selector = SnapshotSelector::Id(id.clone());
        now(host.update_snapshot(&selector, &serde_json::from_value(edit.clone()).unwrap()))
            .unwrap();
        let refused = now(host.delete(&selector, DeleteOptions::default())).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Conflict, "{edit}");
        assert!(refused.hint.unwrap().contains("false first"), "{edit}");
        let options = DeleteOptions { force: true, ..DeleteOptions::default() };
        assert!(now(host.delete(&selector, options)).unwrap().deleted);
        assert!(!world.bucket.objects.borrow().contains_key(&data_key(&id)));
    }
}
