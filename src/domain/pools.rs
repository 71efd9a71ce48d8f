//! Warm pools: containers that run with a published snapshot's files before sessions need them.

use crate::domain::json::render;
use crate::domain::{
    BackupDir, BackupId, ErrorBody, InstanceId, PoolId, Result, SandboxId, SessionId,
};
use serde::{Deserialize, Serialize};

/// The common properties of a pool's containers. Running containers can't change them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PoolSpec {
    /// R2 binding of the snapshot.
    pub binding: String,
    /// The published snapshot whose files the containers have.
    pub backup_id: BackupId,
    /// Whether the containers can reach the Internet.
    pub internet: bool,
    /// The size of the containers, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// The directories of the workspace, if backups include the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persist_machine: Option<Vec<BackupDir>>,
    /// Whether a machine is restored even onto another image.
    #[serde(default)]
    pub force_image: bool,
}

impl PoolSpec {
    /// The pool's id. Equal specs share a pool.
    ///
    /// # Errors
    /// `INTERNAL` if the spec can't be JSON.
    pub fn id(&self) -> Result<PoolId> {
        Ok(PoolId::of(&render(self)?.to_string()))
    }
}

/// A session's request for a warm container. It creates the pool if necessary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TakeRequest {
    /// The pool's containers.
    pub spec: PoolSpec,
    /// The new number of containers in the pool.
    pub size: u32,
    /// The session that takes a container. It gets the same one if it asks again.
    pub session: SessionId,
}

/// A container of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WarmContainer {
    /// The container's sandbox.
    pub sandbox: SandboxId,
    /// The disk that has the files.
    pub instance: InstanceId,
}

/// A pool, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PoolView {
    /// Its id.
    pub id: PoolId,
    /// The snapshot whose files its containers have.
    pub snapshot_id: BackupId,
    /// How many containers the last open asked it to keep.
    pub size: u32,
    /// How many containers it may keep: all pools share `MAX_POOL_CONTAINERS`.
    pub allowed: u32,
    /// How many containers sessions could take now.
    pub ready: u32,
    /// How many are starting.
    pub filling: u32,
    /// When a session last asked for a container, in RFC 3339.
    pub used_at: String,
    /// Why the last container did not become ready. Absent once one became ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ErrorBody>,
}

/// All pools.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PoolList {
    /// How many containers all pools may keep: `MAX_POOL_CONTAINERS`.
    pub limit: u32,
    /// The pools, most recently used first.
    pub pools: Vec<PoolView>,
}

/// A pool that was destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestroyedPool {
    /// How many containers were destroyed.
    pub destroyed: u32,
}

/// Divides the allowed containers among pools of these sizes: one to each in turn, from the first
/// on, until all are filled or none is left.
#[must_use]
pub fn shares(limit: u32, sizes: &[u32]) -> Vec<u32> {
    let mut shares = vec![0; sizes.len()];
    let mut left = limit;
    while left > 0 {
        let before = left;
        for (share, size) in shares.iter_mut().zip(sizes) {
            if left > 0 && *share < *size {
                *share += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{shares, *};
    use proptest::prelude::*;
    use serde_json::json;

    /// A changed form would give every pool another id, and destroy its containers.
    #[test]
    fn pool_spec_format_unchanged() {
        let spec = PoolSpec {
            binding: "BACKUP_BUCKET".to_owned(),
            backup_id: BackupId::parse("3f0b8a52-7c1d-4e9f-8a6b-0c2d4e6f8a10").unwrap(),
            internet: true,
            instance_type: None,
            persist_machine: Some(vec![BackupDir::parse("/workspace").unwrap()]),
            force_image: false,
        };
        let stored = json!({
            "binding": "BACKUP_BUCKET",
            "backupId": "3f0b8a52-7c1d-4e9f-8a6b-0c2d4e6f8a10",
            "internet": true,
            "persistMachine": ["/workspace"],
            "forceImage": false,
        });
        assert_eq!(serde_json::to_value(&spec).unwrap(), stored);
        assert_eq!(spec.id().unwrap().as_str(), "7c6pnygy32r3m90z26e2zkvce0");
        assert_eq!(serde_json::from_value::<PoolSpec>(stored).unwrap(), spec);
    }

    #[test]
    fn each_pool_gets_one_in_turn() {
        assert_eq!(shares(5, &[4, 1, 3]), [2, 1, 2]);
        assert_eq!(shares(2, &[4, 1, 3]), [1, 1, 0]);
        assert_eq!(shares(100, &[4, 1, 3]), [4, 1, 3]);
        assert_eq!(shares(0, &[4]), [0]);
    }

    proptest! {
        #[test]
        fn all_that_is_allowed_is_used_and_no_more(
            limit in 0..30_u32, sizes in prop::collection::vec(0..10_u32, 0..8),
        ) {
            let shares = shares(limit, &sizes);
            prop_assert!(shares.iter().zip(&sizes).all(|(share, size)| share <= size));
            prop_assert_eq!(shares.iter().sum::<u32>(), limit.min(sizes.iter().sum()));
        }
    }
}
