use super::*;
use crate::domain::egress::NetworkMode;
use crate::domain::{Error, ErrorCode, Result, SessionId};
use serde_json::json;

fn check(config: serde_json::Value) -> Result<SessionConfig> {
    let config: WorkspaceConfig =
        serde_json::from_value(config).map_err(|error| Error::invalid("config", error))?;
    config.check(&SessionId::parse("sess").unwrap(), &["OTHER".to_owned()])
}

#[test]
fn an_empty_config_has_every_module_and_the_defaults() {
    let config = check(json!({})).unwrap();
    assert_eq!(config.first_sandbox.as_str(), "sess");
    assert_eq!(config.backup_binding, "BACKUP_BUCKET");
    assert_eq!(config.workspace_dir.as_str(), "/workspace");
    assert_eq!(config.snapshot_dir.as_str(), "/workspace");
    assert_eq!(config.sleep_after.as_ms(), 600_000);
    assert!(config.egress.is_open() && config.modules.fs);
    assert!(config.modules.shell.is_some() && !config.modules.cross_session());
    assert_eq!((config.max_running, config.max_workspaces), (4, 20));
}

#[test]
fn only_declared_modules_exist() {
    let config =
        check(json!({ "capabilities": { "snapshot": { "crossSession": true } } })).unwrap();
    assert!(!config.modules.fs && config.modules.shell.is_none());
    assert!(config.modules.cross_session());
    assert_eq!(config.modules.max_list_results(), 100);
}

#[test]
fn a_read_only_session_has_the_declared_modules_or_all() {
    let modules = |capabilities| check(json!({ "capabilities": capabilities })).unwrap().modules;
    let all = modules(json!({ "readOnly": true }));
    assert!(all.read_only && all.fs && all.shell.is_some() && all.snapshot.is_some());
    let files = modules(json!({ "readOnly": true, "fs": true }));
    assert!(files.read_only && files.fs && files.shell.is_none());
    assert!(!modules(json!({})).any(), "an empty declaration declares none");
}

#[test]
fn an_allowlist_is_checked_and_guards_the_sessions_variables() {
    let shell = json!({ "allowlist": ["ls"], "maxDurationMs": 5 });
    let open =
        |env: &str| check(json!({ "capabilities": { "shell": shell }, "envVars": { env: "x" } }));
    assert!(open("CI").unwrap().modules.shell.unwrap().allows("ls"));
    let error = open("LD_PRELOAD").unwrap_err();
    assert!(error.message.contains("envVars: LD_PRELOAD"), "{error}");
    let code = json!({ "capabilities": { "shell": { "allowlist": ["ls"] }, "code": true } });
    let error = check(code).unwrap_err();
    assert!(error.message.contains("capabilities.code: would run python3"), "{error}");
    let bad = json!({ "capabilities": { "shell": { "allowlist": ["/bin/ls"] } } });
    assert!(check(bad).unwrap_err().message.contains("allowlist"));
}

#[test]
fn services_may_be_what_commands_may_be() {
    let open = |services: serde_json::Value, capabilities: serde_json::Value| {
        let checked = check(json!({ "services": services, "capabilities": capabilities }));
        checked.map(|config| config.services)
    };
    let all = json!({ "shell": true });
    let web = json!({ "name": "web", "command": ["npm", "start"], "cwd": "app" });
    let checked = open(json!([web, { "name": "db", "command": "run a & wait" }]), all.clone());
    let checked = checked.unwrap();
    assert_eq!(checked[0].cwd.as_str(), "/workspace/app");
    assert_eq!((checked[1].name.as_str(), checked[1].cwd.as_str()), ("db", "/workspace"));
    let many = |count: usize, command: &str| {
        let one = |n| json!({ "name": format!("s{n}"), "command": command });
        json!((0..count).map(one).collect::<Vec<_>>())
    };
    assert_eq!(open(many(8, "x"), all.clone()).unwrap().len(), 8);
    for (bad, says) in [
        (many(9, "x"), "services: are more than 8"),
        (many(2, &"x".repeat(33_000)), "services: have commands of more than 65536 bytes"),
        (json!([web, web]), "services: include two with the name web"),
        (json!([{ "name": "a", "command": "" }]), "services: a: command: must not be empty"),
        (json!([{ "name": "a", "command": "x", "cwd": "../.." }]), "services: a: cwd:"),
        (json!([{ "name": "a/b", "command": "x" }]), "name"),
        (json!([{ "name": "a", "command": "x", "env": { "A": "1" } }]), "env"),
    ] {
        let error = open(bad, all.clone()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.message.contains(says), "{error} should say {says}");
    }
    for (modules, says) in
        [(json!({ "fs": true }), "shell"), (json!({ "readOnly": true }), "read-only")]
    {
        let error = open(json!([web]), modules.clone()).unwrap_err();
        assert!(error.message.contains(says), "{error} should say {says}");
        assert_eq!(open(json!([]), modules), Ok(Vec::new()));
    }
    let listed = json!({ "shell": { "allowlist": ["npm"] } });
    assert!(open(json!([web]), listed.clone()).is_ok());
    for command in [json!("npm start"), json!(["sh"]), json!(["/tmp/npm"])] {
        let error = open(json!([{ "name": "a", "command": command }]), listed.clone()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Forbidden);
        assert!(error.message.starts_with("services: a: command: "), "{error}");
    }
}

#[test]
fn sharing_needs_the_flag_and_the_prefix() {
    for (bad, says) in [
        (json!({ "id": "shared-x" }), "shareAcrossSessions"),
        (json!({ "id": "other", "shareAcrossSessions": true }), "shared-"),
        (json!({ "id": "Shared-X", "shareAcrossSessions": true }), "uppercase"),
        (json!({ "backupR2Binding": "API_TOKEN" }), "BACKUP_BINDINGS"),
        (json!({ "snapshotDir": "/etc" }), "dir"),
        (json!({ "sleepAfter": "7h" }), "sleepAfter"),
        (json!({ "sleepAfter": 0 }), "sleepAfter"),
        (json!({ "envVars": { "A=B": "x" } }), "A=B"),
        (json!({ "limits": { "maxRunning": 0 } }), "maxRunning"),
        (
            json!({ "limits": { "calls": { "perMinute": 0, "burst": 1 } } }),
            "limits.calls.perMinute",
        ),
        (json!({ "limits": { "snapshots": { "perMinute": 1 } } }), "burst"),
        (json!({ "capabilities": { "snapshot": { "maxListResults": 0 } } }), "maxListResults"),
        (json!({ "surprise": 1 }), "surprise"),
    ] {
        let error = check(bad).unwrap_err();
        assert!(error.message.contains(says), "{error} should say {says}");
    }
    let shared = check(json!({ "id": "shared-x", "shareAcrossSessions": true })).unwrap();
    assert_eq!(shared.first_sandbox.as_str(), "shared-x");
    assert_eq!(shared.origin.as_str(), "sess");
    assert!(check(json!({ "backupR2Binding": "OTHER" })).is_ok());
}

#[test]
fn sleep_after_reads_seconds_and_text() {
    let ms = |value| check(json!({ "sleepAfter": value })).map(|config| config.sleep_after.as_ms());
    assert_eq!(ms(json!(30)).unwrap(), 30_000);
    assert_eq!(ms(json!("30s")).unwrap(), 30_000);
    assert_eq!(ms(json!("10m")).unwrap(), 600_000);
    assert_eq!(ms(json!("6h")).unwrap(), 21_600_000);
    for bad in ["", "m", "-1", "+10m", "1d", "10mm", "5ss", "99999999999999999999h", "1.5m"] {
        assert!(ms(json!(bad)).is_err(), "{bad}");
    }
}

#[test]
fn session_config_format_unchanged() {
    let config: WorkspaceConfig = serde_json::from_value(json!({
        "kind": "cloudflare-sandbox", "sleepAfter": "10m", "envVars": { "TOKEN": "secret" },
        "capabilities": { "fs": true, "shell": true, "snapshot": { "maxListResults": 5 } }
    }))
    .unwrap();
    assert_eq!(
        serde_json::to_string(&config.over(None).unwrap().redacted()).unwrap(),
        r#"{"kind":"cloudflare-sandbox","shareAcrossSessions":false,"destroyOnClose":false,"sleepAfter":"600s","envVars":{"TOKEN":"<redacted>"},"capabilities":{"fs":true,"shell":true,"snapshot":{"maxListResults":5,"crossSession":false}}}"#
    );
}

#[test]
fn the_network_is_given_in_one_of_two_ways() {
    let mode = |config| check(config).map(|config| config.egress.mode);
    assert_eq!(mode(json!({})), Ok(NetworkMode::Open));
    assert_eq!(mode(json!({ "enableInternet": true })), Ok(NetworkMode::Open));
    assert_eq!(mode(json!({ "enableInternet": false })), Ok(NetworkMode::Off));
    assert_eq!(mode(json!({ "network": { "mode": "off" } })), Ok(NetworkMode::Off));
    let hosts =
        |hosts: serde_json::Value| json!({ "network": { "mode": "allowlist", "hosts": hosts } });
    assert_eq!(mode(hosts(json!(["example.com"]))), Ok(NetworkMode::Allowlist));
    assert_eq!(mode(hosts(json!([]))), Ok(NetworkMode::Allowlist), "a list of none allows none");
    let many: Vec<String> = (0..201).map(|n| format!("h{n}.example.com")).collect();
    for (bad, says) in [
        (json!({ "network": { "mode": "open" }, "enableInternet": true }), "enableInternet"),
        (json!({ "network": { "mode": "open", "hosts": ["example.com"] } }), "network.hosts"),
        (json!({ "network": { "hosts": ["example.com"] } }), "mode"),
        (json!({ "network": { "mode": "some" } }), "allowlist"),
        (
            json!({ "network": { "mode": "off" }, "capabilities": { "script": { "network": "allow" } } }),
            "capabilities.script.network",
        ),
        (json!({ "network": { "mode": "off", "ports": [1] } }), "ports"),
        (hosts(json!(["https://example.com"])), "without scheme"),
        (hosts(json!(["169.254.169.254"])), "not a public address"),
        (hosts(json!(many)), "more than 200"),
    ] {
        let error = check(bad).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.message.contains(says), "{error} should say {says}");
    }
}

#[test]
fn secrets_are_for_hosts_that_are_reached_and_are_never_shown() {
    let open = |network: serde_json::Value, host: &str| {
        let secrets =
            json!({ "KEY": { "hosts": [host], "header": "Authorization", "value": "s3cr3t" } });
        check(json!({ "network": network, "secrets": secrets }))
    };
    assert!(open(json!({ "mode": "open" }), "api.example.com").is_ok());
    let listed = json!({ "mode": "allowlist", "hosts": ["*.example.com"] });
    assert!(open(listed.clone(), "api.example.com").is_ok());
    for (network, host) in [
        (listed.clone(), "example.com"),
        (listed.clone(), "example.org"),
        (json!({ "mode": "off" }), "api.example.com"),
    ] {
        let error = open(network, host).unwrap_err();
        assert!(error.message.starts_with("secrets.KEY.hosts: "), "{error}");
    }
}

#[test]
fn a_later_open_may_rotate_a_secret_but_not_send_it_elsewhere() {
    let config = |host: &str, value: &str| -> WorkspaceConfig {
        let secret = json!({ "hosts": [host], "header": "x-key", "value": value });
        serde_json::from_value(json!({ "secrets": { "KEY": secret } })).unwrap()
    };
    let before = config("a.example", "s3cr3t").over(None).unwrap();
    let value = |config: WorkspaceConfig| {
        let whole = config.over(Some(&before))?;
        whole.check_policy(&before)?;
        Ok::<_, Error>(whole.secrets.unwrap()["KEY"].value.reveal().to_owned())
    };
    assert_eq!(value(WorkspaceConfig::default()).unwrap(), "s3cr3t");
    assert_eq!(value(config("a.example", "<redacted>")).unwrap(), "s3cr3t");
    assert_eq!(value(config("b.example", "new")).unwrap(), "new");
    let error = value(config("b.example", "<redacted>")).unwrap_err();
    assert!(error.message.contains("the value of KEY is redacted"), "{error}");
    assert!(config("a.example", "<redacted>").over(None).is_err());
    let shown = serde_json::to_string(&before.redacted()).unwrap();
    assert!(shown.contains(r#""value":"<redacted>""#) && !shown.contains("s3cr3t"), "{shown}");
    let changed: WorkspaceConfig =
        serde_json::from_value(json!({ "network": { "mode": "off" } })).unwrap();
    let error = changed.over(Some(&before)).unwrap().check_policy(&before).unwrap_err();
    assert_eq!(error.details.unwrap()["fields"], json!(["network"]));
}
