use super::*;
use crate::domain::snapshot::archive::{sdk_key, sdk_prefix};
use crate::domain::{BackupId, ErrorCode, SessionConfig, SessionId};
use serde_json::{Value, json};

fn config(value: Value) -> WorkspaceConfig {
    serde_json::from_value(value).unwrap()
}

fn check(value: Value) -> Result<SessionConfig> {
    config(value).check(&SessionId::parse("sess").unwrap(), &[])
}

fn problem(mounts: Value) -> String {
    check(json!({ "bucketMounts": mounts })).unwrap_err().message
}

#[test]
fn mounts_are_checked_by_themselves() {
    let mounts = json!([
        { "bucket": "DATA", "mountPath": "/data/" },
        { "bucket": "LOGS", "mountPath": "/mnt/logs", "prefix": "/2024/a/", "readOnly": true },
        { "bucket": "LOGS", "mountPath": "/mnt/all", "prefix": "/2025" },
    ]);
    let checked = check(json!({ "bucketMounts": mounts })).unwrap().bucket_mounts;
    let shown: Vec<_> =
        checked.iter().map(|m| (m.path.as_str(), m.mount.prefix.as_str())).collect();
    assert_eq!(shown, [("/data", ""), ("/mnt/logs", "2024/a/"), ("/mnt/all", "2025/")]);
    let one = |field: &str, value: Value| {
        let mut mount = json!({ "bucket": "DATA", "mountPath": "/data" });
        mount[field] = value;
        problem(json!([mount]))
    };
    for (field, value, expected) in [
        ("bucket", json!(""), "must be 1 to 64"),
        ("bucket", json!("a/b"), "must be 1 to 64"),
        ("mountPath", json!("data"), "must be absolute"),
        ("mountPath", json!("/data/../workspace"), "must not contain .."),
        ("mountPath", json!("/"), "snapshot"),
        ("mountPath", json!("/workspace"), "snapshot"),
        ("mountPath", json!("/workspace/data"), "snapshot"),
        ("mountPath", json!("/usr/lib/x"), "directory of the system"),
        ("mountPath", json!("/var/lib/snapshotter"), "directory of the system"),
        ("prefix", json!("2024"), "must begin with /"),
        ("prefix", json!("/a/../b"), "without empty"),
        ("prefix", json!("/a//b"), "without empty"),
        ("prefix", json!("/a\n"), "without empty"),
        (
            "credentials",
            json!({ "accessKeyId": "id", "secretAccessKey": "s3cr3t" }),
            "need an endpoint",
        ),
    ] {
        let message = one(field, value.clone());
        assert!(message.contains(expected), "{field} {value}: {message}");
        assert!(message.starts_with(&format!("bucketMounts[0].{field}: ")), "{message}");
        assert!(!message.contains("s3cr3t"));
    }
    let two = |a: Value, b: Value| problem(json!([a, b]));
    for path in ["/data", "/data/below", "/data/"] {
        let (a, b) = (
            json!({ "bucket": "A", "mountPath": path }),
            json!({ "bucket": "B", "mountPath": "/data" }),
        );
        assert!(two(a, b).starts_with("bucketMounts[1].mountPath: /data overlaps "));
    }
    let whole = json!({ "bucket": "A", "mountPath": "/a" });
    let part = json!({ "bucket": "A", "mountPath": "/b", "prefix": "/x", "readOnly": true });
    assert!(two(whole, part).starts_with("bucketMounts[1].readOnly: mounts of overlapping parts"));
    let many: Vec<Value> =
        (0..17).map(|at| json!({ "bucket": "A", "mountPath": format!("/m/{at}") })).collect();
    assert!(problem(json!(many)).contains("more than 16"));
}

#[test]
fn mounts_are_outside_what_is_saved_and_not_shared() {
    let mount = |path: &str| json!([{ "bucket": "A", "mountPath": path }]);
    let beside = json!({ "workspaceDir": "/workspace/a", "snapshotDir": "/home/b", "bucketMounts": mount("/home/b/c") });
    assert!(check(beside).is_err());
    let machine = |path: &str| check(json!({ "persist": "machine", "bucketMounts": mount(path) }));
    assert!(machine("/data").unwrap_err().message.contains("machine"));
    assert!(machine("/run/data").is_ok());
    let shared =
        json!({ "id": "shared-a", "shareAcrossSessions": true, "bucketMounts": mount("/data") });
    assert!(check(shared).unwrap_err().message.contains("share"));
}

#[test]
fn only_what_the_operator_lists_is_opened_and_never_snapshots() {
    let allowed = AllowedBuckets {
        bindings: vec!["DATA".into(), "BACKUP_BUCKET".into(), "OTHER".into()],
        endpoints: vec!["https://s3.example.com".into()],
        backup_bindings: vec!["OTHER".into()],
        sdk_backups_prefix: "backups/".into(),
    };
    let open = |mount: Value| {
        let config = config(json!({ "bucketMounts": [mount] }));
        config.check_allowed_buckets(&allowed).map_err(|error| error.code)
    };
    let of = |bucket: &str, prefix: Option<&str>| {
        open(json!({ "bucket": bucket, "mountPath": "/data", "prefix": prefix }))
    };
    assert_eq!(of("DATA", None), Ok(()));
    assert_eq!(of("DATA", Some("/backups")), Ok(()));
    assert_eq!(of("UNLISTED", None), Err(ErrorCode::InvalidArgument));
    assert_eq!(of("data", None), Err(ErrorCode::InvalidArgument));
    for bucket in ["BACKUP_BUCKET", "OTHER"] {
        for prefix in [None, Some("/"), Some("/backups"), Some("/backups/x")] {
            assert_eq!(of(bucket, prefix), Err(ErrorCode::InvalidArgument), "{bucket} {prefix:?}");
        }
        assert_eq!(of(bucket, Some("/datasets")), Ok(()));
        assert_eq!(of(bucket, Some("/backups2")), Ok(()));
    }
    let endpoint =
        |endpoint: &str| open(json!({ "bucket": "b", "mountPath": "/data", "endpoint": endpoint }));
    assert_eq!(endpoint("https://s3.example.com"), Ok(()));
    assert_eq!(endpoint("https://S3.example.com:443/"), Ok(()));
    for other in ["https://s3.example.com:444", "https://s3.example.com.evil.org", "x"] {
        assert_eq!(endpoint(other), Err(ErrorCode::InvalidArgument), "{other}");
    }
    let mounts = json!([
        { "bucket": "DATA", "mountPath": "/data" },
        { "bucket": "b", "mountPath": "/b", "endpoint": "https://other.example.com" },
    ]);
    let unlisted = config(json!({ "bucketMounts": mounts })).check_allowed_buckets(&allowed);
    let details = unlisted.unwrap_err().details;
    assert_eq!(details, Some(json!({ "field": "bucketMounts[1].endpoint" })));
    assert_eq!(endpoint("http://169.254.169.254"), Err(ErrorCode::InvalidArgument));
}

#[test]
fn backups_of_the_sdk_are_not_mounted_wherever_the_operator_keeps_them() {
    let id = BackupId::from_random([7; 16]);
    let problem = |sdk: &str, bucket: &str, prefix: Option<&str>| {
        let allowed = AllowedBuckets {
            bindings: vec!["DATA".into(), "BACKUP_BUCKET".into(), "OTHER".into()],
            backup_bindings: vec!["OTHER".into()],
            sdk_backups_prefix: sdk_prefix(Some(sdk)),
            ..AllowedBuckets::default()
        };
        let mount = json!({ "bucket": bucket, "mountPath": "/data", "prefix": prefix });
        let config = config(json!({ "bucketMounts": [mount] }));
        let problem = config.check_allowed_buckets(&allowed).err().map(|error| error.message);
        let key = sdk_key(&allowed.sdk_backups_prefix, &id);
        let opened = config.bucket_mounts.unwrap()[0].mount(0).unwrap();
        assert!(bucket == "DATA" || problem.is_some() || !key.starts_with(&opened.prefix));
        problem
    };
    for bucket in ["BACKUP_BUCKET", "OTHER"] {
        for prefix in ["/sdk", "/sdk/", "/sdk/a", "/backups"] {
            let told = problem("sdk/", bucket, Some(prefix)).unwrap();
            assert!(told.ends_with("set a prefix apart from /backups and /sdk"), "{told}");
        }
        assert!(problem("a/b", bucket, Some("/a")).unwrap().contains("/a/b"));
        for prefix in ["/sdk2", "/a", "/sd"] {
            assert_eq!(problem("sdk", bucket, Some(prefix)), None, "{prefix}");
        }
        // At the root, keys have no slash.
        assert_eq!(problem("/", bucket, Some("/a")), None);
        for prefix in [None, Some("/"), Some("/backups")] {
            assert!(problem("/", bucket, prefix).unwrap().ends_with("from /backups"));
        }
    }
    for prefix in [None, Some("/sdk")] {
        assert_eq!(problem("sdk", "DATA", prefix), None);
    }
}

fn remote(bucket: &str, credentials: &Value) -> Value {
    json!([{
        "bucket": bucket, "mountPath": "/data", "endpoint": "https://s3.example.com",
        "credentials": credentials,
    }])
}

fn keys(secret: &str) -> Value {
    json!({ "accessKeyId": "AKIA123", "secretAccessKey": secret })
}

#[test]
fn buckets_of_services_are_checked() {
    let checked = check(json!({ "bucketMounts": remote("b.c", &keys("s3cr3t")) })).unwrap();
    assert!(checked.bucket_mounts[0].mount.remote.is_some());
    let anonymous = json!({ "bucketMounts": remote("b", &Value::Null) });
    assert!(check(anonymous).is_ok());
    for bucket in ["..", ".", "a_b", ".a"] {
        assert!(
            problem(remote(bucket, &keys("s"))).starts_with("bucketMounts[0].bucket: "),
            "{bucket}"
        );
    }
    assert_eq!(
        problem(remote("b", &keys("s\n"))),
        "bucketMounts[0].credentials.secretAccessKey: must be 1 to 256 visible ASCII characters"
    );
    assert!(problem(remote("b", &keys("<redacted>"))).contains("redacted"));
    let mut twice = remote("b", &keys("s3cr3t"));
    let mut other = twice[0].clone();
    other["mountPath"] = json!("/other");
    other["credentials"] = keys("0th3r");
    twice.as_array_mut().unwrap().push(other);
    assert!(problem(twice.clone()).starts_with("bucketMounts[1].credentials: mounts of b must"));
    twice[1]["endpoint"] = json!("https://other.example.com");
    assert!(problem(twice).starts_with("bucketMounts[1].endpoint: mounts of b must"));
}

#[test]
fn a_later_open_may_change_credentials_and_nothing_else() {
    let first = config(json!({ "bucketMounts": remote("b", &keys("s3cr3t")) }));
    let again = |mounts: Value| {
        let again = config(json!({ "bucketMounts": mounts })).over(Some(&first))?;
        again.check_policy(&first)?;
        let mount = again.bucket_mounts.unwrap().remove(0);
        Ok(mount.credentials.unwrap().secret_access_key.reveal().to_owned())
    };
    assert_eq!(again(remote("b", &keys("n3w"))).unwrap(), "n3w");
    assert_eq!(again(remote("b", &Value::Null)).unwrap(), "s3cr3t");
    let shown = serde_json::to_value(first.redacted()).unwrap();
    assert_eq!(again(shown["bucketMounts"].clone()).unwrap(), "s3cr3t");
    let code = |mounts: Value| again(mounts).map_err(|error: Error| error.code);
    assert_eq!(code(remote("c", &keys("n3w"))), Err(ErrorCode::Conflict));
    // A caller who does not know the credentials can't send them to another service.
    let mut elsewhere = shown["bucketMounts"].clone();
    elsewhere[0]["endpoint"] = json!("https://evil.example.com");
    assert_eq!(code(elsewhere), Err(ErrorCode::InvalidArgument));
}

#[test]
fn credentials_are_never_shown() {
    let config = config(json!({ "bucketMounts": [{
        "bucket": "b", "mountPath": "/data", "endpoint": "https://s3.example.com",
        "credentials": { "accessKeyId": "AKIA123", "secretAccessKey": "s3cr3t", "sessionToken": "t0k3n" },
    }] }));
    let checked = config.check(&SessionId::parse("sess").unwrap(), &[]).unwrap();
    for text in [
        format!("{config:?}"),
        format!("{checked:?}"),
        serde_json::to_string(&config.redacted()).unwrap(),
    ] {
        assert!(!["AKIA123", "s3cr3t", "t0k3n"].iter().any(|it| text.contains(it)), "{text}");
    }
}
