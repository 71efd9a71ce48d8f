//! Checks that the documentation agrees with the code.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use snapshotter::api::http::status;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::limits;
use snapshotter::domain::snapshot::backup::BackupDir;
use std::collections::BTreeSet;

#[test]
fn errors_md_has_every_code_with_its_status() {
    let page = include_str!("../docs/errors.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), ErrorCode::ALL.len());
    for code in ErrorCode::ALL {
        let start = format!("| `{code}` | {} |", status(code));
        assert!(rows.iter().any(|row| row.starts_with(&start)), "no row {start}");
    }
}

#[test]
fn operations_md_says_what_to_do_about_every_code() {
    let page = include_str!("../docs/operations.md");
    for code in ErrorCode::ALL {
        assert!(page.contains(&format!("`{code}`")), "{code} is missing");
    }
}

/// The text of all of `src/`, without its tests.
fn sources(directory: &std::path::Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push(text.split("#[cfg(test)]").next().unwrap_or_default().to_owned());
        }
    }
}

#[test]
fn operations_md_says_what_every_warning_means() {
    let page = include_str!("../docs/operations.md");
    let (_, table) = page.split_once("| line | means | do |").unwrap();
    let table = table.split("\n\n").next().unwrap();
    let mut texts = Vec::new();
    sources(std::path::Path::new("src"), &mut texts);
    let mut names = BTreeSet::new();
    for text in &texts {
        // The statement that writes a line has its level, and its name as a literal.
        for statement in text.split("LogLine::new(").skip(1) {
            let statement = statement.split([';', '!']).next().unwrap();
            if !statement.contains("Level::Info") {
                names.extend(statement.split('"').skip(1).step_by(2));
            }
        }
    }
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(table.contains(&format!("`{name}`")), "{name} is missing");
    }
}

/// A hint that names a tool would name it on every surface: `domain/error/next.rs` has those.
#[test]
fn no_text_below_the_surfaces_names_a_tool() {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir("src").unwrap().map(Result::unwrap) {
        if entry.file_name() != "api" && entry.path().is_dir() {
            sources(&entry.path(), &mut texts);
        }
    }
    let lines = texts.iter().flat_map(|text| text.lines());
    let code = lines.map(str::trim).filter(|line| !line.starts_with("//"));
    let plain: Vec<&str> = code.filter(|line| line.contains('"')).collect();
    assert!(plain.len() > 1_000);
    for entry in snapshotter::api::tools::all() {
        let name = entry.tool.name;
        for line in &plain {
            // In braces, each surface has its own name for it.
            let named = line.replace(&format!("{{{name}}}"), "").contains(name);
            assert!(!named, "{line}");
        }
    }
}

#[test]
fn operations_md_has_every_setting() {
    let operations = include_str!("../docs/operations.md");
    let table = operations.split("## Settings").nth(1).and_then(|rest| rest.split("\n## ").next());
    let code = concat!(
        include_str!("../src/platform/settings.rs"),
        include_str!("../src/platform/metrics.rs"),
        include_str!("../src/platform/http/assets.rs"),
    );
    let quoted = code.split('"').filter(|name| {
        name.len() > 5 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    });
    let names: BTreeSet<_> = quoted.filter(|name| !name.starts_with("TEST_")).collect();
    assert!(names.len() > 12, "{names:?}");
    for name in names {
        assert!(table.unwrap().contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_readme_is_read_in_a_few_minutes() {
    assert!(include_str!("../README.md").len() <= 10_000);
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = ["README.md", "CONTRIBUTING.md", "llms.txt"].map(str::to_owned).to_vec();
    for directory in ["docs", "docs/decisions", "docs/tasks"] {
        let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| format!("{directory}/{}", name.to_str().unwrap()));
        pages.extend(names.filter(|name| name.ends_with(".md")));
    }
    let anchors = |page: &str| -> BTreeSet<String> {
        let headings = page.lines().filter(|line| line.starts_with('#'));
        headings
            .map(|line| {
                let text = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
                // A heading that is a link has the anchor of its text.
                let text = text.split("](").next().unwrap().to_owned();
                text.chars().filter(|it| it.is_alphanumeric() || "-_".contains(*it)).collect()
            })
            .collect()
    };
    let mut count = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let directory = std::path::Path::new(&page).parent().unwrap();
            let path = if path.is_empty() { page.clone().into() } else { directory.join(path) };
            assert!(path.exists(), "{page} links to {target}");
            if !anchor.is_empty() {
                let linked = std::fs::read_to_string(&path).unwrap();
                assert!(anchors(&linked).contains(anchor), "{page} links to {target}");
            }
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn llms_txt_lists_every_page() {
    let list = include_str!("../llms.txt");
    let mut pages = 0;
    for directory in ["docs", "docs/tasks"] {
        let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        for page in names.filter(|name| name.ends_with(".md")) {
            assert!(list.contains(&format!("]({directory}/{page}")), "{page} is missing");
            pages += 1;
        }
    }
    assert!(pages > 20, "{pages}");
}

#[test]
fn lines_with_pip_work_on_debian() {
    let pages = [
        include_str!("../README.md"),
        include_str!("../examples/README.md"),
        include_str!("../clients/python/README.md"),
    ];
    let mut count = 0;
    for line in pages.iter().flat_map(|page| page.lines()) {
        // Its Python refuses packages outside of a virtual environment.
        if line.starts_with("python3 -m pip install") {
            assert!(line.contains(" --target "), "{line}");
            count += 1;
        }
    }
    assert_eq!(count, 2);
}

#[test]
fn the_page_for_agents_names_every_tool() {
    let page = include_str!("../docs/agents.md");
    let tools: serde_json::Value =
        serde_json::from_str(include_str!("golden/tools.json")).unwrap_or_default();
    let names: Vec<&str> =
        tools.as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "{name} is missing");
    }
}

#[test]
fn events_md_has_every_kind_with_its_payload() {
    let page = include_str!("../docs/events.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let kinds =
        include_str!("../src/domain/session/event.rs").matches("#[serde(rename = \"").count();
    let stored = include_str!("golden/events.txt");
    assert_eq!((rows.len(), stored.lines().count()), (kinds, kinds));
    for (kind, payload) in stored.lines().filter_map(|line| line.split_once(' ')) {
        let start = format!("| `{kind}` | ");
        let row = rows.iter().find_map(|row| row.strip_prefix(&start));
        let cell = row.unwrap_or_else(|| panic!("no row {start}")).split('|').next().unwrap();
        let told: BTreeSet<&str> = cell.split('`').skip(1).step_by(2).collect();
        let payload: serde_json::Value = serde_json::from_str(payload).unwrap();
        let fields: BTreeSet<&str> =
            payload.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(told, fields, "{kind}");
    }
}

#[test]
fn where_a_workspace_may_lie_is_told_as_the_refusal_tells_it() {
    let refusal = BackupDir::parse("/etc").unwrap_err().message;
    let (_, places) = refusal.split_once("must lie ").unwrap();
    for page in [include_str!("../docs/limits.md"), include_str!("../entry/snapshotter.d.ts")] {
        assert!(page.replace('`', "").contains(places), "{places}");
    }
}

#[test]
fn the_published_types_have_every_code() {
    let types = include_str!("../entry/snapshotter.d.ts");
    for code in ErrorCode::ALL {
        assert!(types.contains(&format!("\"{code}\"")), "{code} is missing");
    }
}

#[test]
fn limits_md_has_the_limits_of_the_code() {
    let page = include_str!("../docs/limits.md");
    let grouped = |count: u64| {
        let digits = count.to_string();
        let mut text = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    };
    for phrase in [
        format!("| session id | {} characters", limits::SESSION_ID_MAX_CHARS),
        format!("| sandbox id | {} characters", limits::SANDBOX_ID_MAX_CHARS),
        format!("its first workspace's id too | {} characters", limits::ORIGIN_MAX_CHARS),
        format!(
            "| {} / {} characters",
            limits::SNAPSHOT_NAME_MAX_CHARS,
            grouped(limits::SNAPSHOT_DESCRIPTION_MAX_CHARS as u64)
        ),
        format!(
            "| {}, keys of {} characters of `A-Z a-z 0-9 . _ / -`, values of {}; a list asks for at most {}",
            limits::LABELS_MAX,
            limits::LABEL_KEY_MAX_CHARS,
            limits::LABEL_VALUE_MAX_CHARS,
            limits::LABEL_FILTERS_MAX
        ),
        format!(
            "| {}; `keepAutosaves` default {}, `keepTurns` {} |",
            grouped(limits::RETENTION_COUNT_CEILING.into()),
            limits::KEEP_AUTOSAVES_DEFAULT,
            limits::KEEP_TURNS_DEFAULT
        ),
        format!(
            "a cursor of {} bytes of JSON, a label of {} characters; the timeline shows {} turns, or {} if asked, each with the first {} changed paths, and one call compares {} turns",
            grouped(limits::TURN_CURSOR_MAX_BYTES as u64),
            limits::TURN_LABEL_MAX_CHARS,
            limits::TIMELINE_DEFAULT_TURNS,
            limits::TIMELINE_MAX_TURNS,
            limits::TURN_PATHS_MAX,
            limits::TURNS_COMPARED_AT_ONCE
        ),
        format!(
            "the last {} of a session: {} bytes of the command, the last {} of its stdout and of its stderr; a page of {}. The timeline shows the last {} of each turn, each with its first {} bytes. Values of `envVars` and `env` of at least {} characters",
            limits::COMMANDS_KEPT,
            grouped(limits::COMMAND_RECORDED_BYTES as u64),
            grouped(limits::COMMAND_TAIL_BYTES as u64),
            limits::COMMANDS_PAGE_MAX,
            limits::TURN_COMMANDS_MAX,
            limits::TIMELINE_COMMAND_BYTES,
            limits::REDACTED_MIN_CHARS
        ),
        format!(
            "| {} / {}; the next alarm goes on",
            limits::PRUNES_AT_ONCE,
            grouped(limits::RETENTION_SHOWN as u64)
        ),
        format!(
            "| `retention.minIntervalSeconds` | {} |",
            grouped(limits::RETENTION_INTERVAL_MAX_SECS)
        ),
        format!(
            "once in {} h, {} by one alarm",
            limits::SWEEP_EVERY_MS / 3_600_000,
            limits::SWEEP_AT_ONCE
        ),
        format!("one `rebuild` looks at | {} |", limits::REBUILD_PAGE),
        format!(
            "`MAX_CONCURRENT_STARTS` (1 to {})",
            grouped(limits::MAX_CONCURRENT_STARTS_MAX.into())
        ),
        format!(
            "| {} min, then `UNAVAILABLE` with `retryAfterMs` of {} to {} s, and its place is kept for {} min more; at most {} wait or have such a place. One that does not ask again loses its place {} s after twice its pause, of 0.5 to {} s (longer if more than {} wait)",
            limits::START_WAIT_MS / 60_000,
            limits::START_RETRY_AFTER_MS / 2_000,
            limits::START_RETRY_AFTER_MS * 3 / 2_000,
            limits::START_KEPT_MS / 60_000,
            grouped(limits::STARTS_WAITING_MAX as u64),
            limits::START_ABSENT_MS / 1_000,
            limits::START_ASK_MAX_MS / 1_000,
            grouped(limits::START_ASK_MAX_MS / 5)
        ),
        format!(
            "`MAX_POOL_CONTAINERS` (at most {}); {} in one pool",
            grouped(limits::MAX_POOL_CONTAINERS_MAX.into()),
            limits::POOL_SIZE_MAX
        ),
        format!(
            "checked every {} min; destroyed when no session has asked for it in {} h; {} containers start at once, and each has {} min to be ready; after a failure it waits {} s, at most {} min",
            limits::POOL_CHECK_MS / 60_000,
            limits::POOL_IDLE_MS / 3_600_000,
            limits::POOL_FILL_AT_ONCE,
            limits::POOL_FILL_MAX_MS / 60_000,
            limits::POOL_RETRY_MS / 1_000,
            limits::POOL_RETRY_MAX_MS / 60_000
        ),
        format!("stops after {} min idle, until its session", limits::POOL_TAKEN_MS / 60_000),
        format!("| {} s, extended while the platform", limits::START_LEASE_MS / 1_000),
        format!(
            "a call waits {} s for an answer; after {} s, a start continues",
            limits::STARTS_RESPONSE_TIMEOUT_MS / 1_000,
            limits::STARTS_SILENT_MS / 1_000
        ),
        format!("after a random time of at most {} s", limits::SPREAD_MS / 1_000),
        format!("| {} of each / {};", limits::FORGOTTEN_AT_ONCE, limits::EDITS_AT_ONCE),
        format!("in 24 h, and {} an hour;", limits::CLAIMS_LOGGED_PER_HOUR),
        format!(
            "known for {} days after that, and for longer while there is a snapshot of it; then forgotten, {} by one alarm",
            limits::ENDED_KEPT_MS / 86_400_000,
            limits::ENDED_FORGOTTEN_AT_ONCE
        ),
        format!("| snapshots of a lineage | the latest {},", limits::LINEAGE_MAX_PLACES),
        format!("{} s to {} s", limits::TTL_MIN_SECS, grouped(limits::TTL_MAX_SECS)),
        format!("default {} s", grouped(limits::TTL_DEFAULT_SECS)),
        format!(
            "| {}, configurable to {}",
            limits::MAX_LIST_RESULTS_DEFAULT,
            grouped(limits::MAX_LIST_RESULTS_CEILING.into())
        ),
        format!(
            "| {} / {}, configurable to {}",
            limits::MAX_RUNNING_DEFAULT,
            limits::MAX_WORKSPACES_DEFAULT,
            limits::MAX_WORKSPACES_CEILING
        ),
        format!(
            "{} ms by default, at most {} ms; {} KiB of command line",
            grouped(limits::EXEC_TIMEOUT_DEFAULT_MS),
            grouped(limits::EXEC_TIMEOUT_MAX_MS),
            limits::EXEC_COMMAND_MAX_BYTES >> 10
        ),
        format!("first {} MiB each", limits::EXEC_OUTPUT_MAX_BYTES >> 20),
        format!("({} to 1 MiB)", grouped(limits::EXEC_OUTPUT_MIN_BYTES as u64)),
        format!(
            "{} KiB each by default, over MCP at most {} KiB, the first half",
            limits::TOOL_OUTPUT_DEFAULT_BYTES >> 10,
            limits::MCP_OUTPUT_MAX_BYTES >> 10
        ),
        format!(
            "over MCP | {} KiB by default, at most {} KiB;",
            limits::MCP_READ_DEFAULT_BYTES >> 10,
            limits::MCP_READ_MAX_BYTES >> 10
        ),
        format!(
            "{} programs, names of {} characters",
            limits::SHELL_ALLOWLIST_MAX,
            limits::SHELL_PROGRAM_MAX_CHARS
        ),
        format!(
            "its value | {} MiB / {} MiB",
            limits::CODE_MAX_BYTES >> 20,
            limits::CODE_VALUE_MAX_BYTES >> 20
        ),
        format!("{} of {} MiB each", limits::CODE_FILES_MAX, limits::CODE_FILE_MAX_BYTES >> 20),
        format!("read or written | {} MiB;", limits::FILE_MAX_BYTES >> 20),
        format!(
            "{} KiB by default, at most {} MiB; `truncated`",
            limits::READ_PART_DEFAULT_BYTES >> 10,
            limits::FILE_MAX_BYTES >> 20
        ),
        format!(
            "{} by default, at most {}; `nextCursor`",
            grouped(limits::LIST_FILES_DEFAULT_ENTRIES as u64),
            grouped(limits::LIST_FILES_MAX_ENTRIES as u64)
        ),
        format!(
            "{} by default, at most {}, {} characters of each; {} lines of context",
            limits::GREP_DEFAULT_LINES,
            grouped(limits::GREP_MAX_LINES as u64),
            limits::GREP_LINE_MAX_CHARS,
            limits::GREP_CONTEXT_MAX_LINES
        ),
        format!(
            "| {} files and directories of a snapshot, and {} paths that differ,",
            grouped(limits::TREE_ENTRIES_MAX as u64),
            grouped(limits::TREE_DIFFERENCES_MAX as u64)
        ),
        format!(
            "| {} MiB compressed, {} MiB without; ended after {} min |",
            limits::TREE_READ_MAX_BYTES >> 20,
            limits::TREE_RECORDS_MAX_BYTES >> 20,
            limits::TREE_TIMEOUT_MS / 60_000
        ),
        format!("| {} MiB, to hash them;", limits::TREE_CONTENT_MAX_BYTES >> 20),
        format!("files of a comparison | {},", limits::TREE_IGNORE_FILES_MAX),
        format!(
            "`workspace_diff` | {} by default, at most {}; `nextOffset`",
            limits::DIFF_DEFAULT_CHANGES,
            grouped(limits::DIFF_MAX_CHANGES as u64)
        ),
        format!(
            "| {} KiB by default, at most {} KiB; of files up to {} MiB; {} lines of context",
            limits::DIFF_DEFAULT_TEXT_BYTES >> 10,
            limits::DIFF_MAX_TEXT_BYTES >> 10,
            limits::DIFF_FILE_MAX_BYTES >> 20,
            limits::DIFF_CONTEXT_MAX_LINES
        ),
        format!(
            "| {} to {}, {} compared at once; {} changes of each by default, at most {}; the last {} KiB of each output",
            limits::COMPARE_MIN_WORKSPACES,
            limits::COMPARE_MAX_WORKSPACES,
            limits::COMPARE_AT_ONCE,
            limits::COMPARE_DEFAULT_CHANGES,
            grouped(limits::DIFF_MAX_CHANGES as u64),
            limits::COMPARE_OUTPUT_BYTES >> 11
        ),
        format!(
            "| {} MiB of merged texts, of files up to {} MiB; lists {} conflicts |",
            limits::MERGE_MAX_BYTES >> 20,
            limits::DIFF_FILE_MAX_BYTES >> 20,
            limits::MERGE_CONFLICTS_SHOWN
        ),
        format!(
            "| {} ms by default, at most {} ms (`maxDurationMs`); on Cloudflare at most {} ms of CPU time, the memory of an isolate, and {} requests; {} KiB of code; {} of a session at once",
            grouped(limits::SCRIPT_DURATION_DEFAULT_MS),
            grouped(limits::SCRIPT_DURATION_MAX_MS),
            grouped(limits::SCRIPT_CPU_MAX_MS),
            limits::SCRIPT_SUBREQUESTS_MAX,
            limits::SCRIPT_CODE_MAX_BYTES >> 10,
            limits::SCRIPTS_AT_ONCE
        ),
        format!(
            "| {}, {} served at once, {} MiB of input each;",
            limits::SCRIPT_CALLS_MAX,
            limits::SCRIPT_CALLS_AT_ONCE,
            limits::SCRIPT_MESSAGE_MAX_BYTES >> 20
        ),
        format!(
            "| {} / {} / {} KiB |",
            limits::SCRIPT_VALUE_MAX_BYTES >> 10,
            limits::SCRIPT_LOGS_MAX_BYTES >> 10,
            limits::SCRIPT_ERROR_MAX_BYTES >> 10
        ),
        format!("`workspace_glob` | {} bytes", grouped(limits::PATTERN_MAX_BYTES as u64)),
        format!("| HTTP body | {} MiB", limits::HTTP_BODY_MAX_BYTES >> 20),
        format!("| path | {} bytes", grouped(limits::PATH_MAX_BYTES as u64)),
        format!("{} variables, {} KiB", limits::ENV_VARS_MAX, limits::ENV_VARS_MAX_BYTES >> 10),
        format!(
            "1 s to {} h, default {} min",
            limits::SLEEP_AFTER_MAX_MS / 3_600_000,
            limits::SLEEP_AFTER_DEFAULT_MS / 60_000
        ),
        format!(
            "{} GiB in one put, beyond that parts of {} MiB",
            limits::SINGLE_PUT_MAX_BYTES >> 30,
            limits::MULTIPART_PART_BYTES >> 20
        ),
        format!("vanish or shrink | {} |", limits::BACKUP_ATTEMPTS),
        format!(
            "each {} ms, every {}th as progress",
            grouped(limits::MCP_PULSE_MS),
            limits::MCP_PULSES_PER_PROGRESS
        ),
        format!(
            "| calls of a session | {} a minute, {} at once; `limits.calls`, up to {} |",
            grouped(limits::CALLS_PER_MINUTE.into()),
            grouped(limits::CALLS_BURST.into()),
            grouped(limits::RATE_MAX.into())
        ),
        format!(
            "| snapshots of a session | {} a minute, {} at once; `limits.snapshots`, up to {} |",
            limits::SNAPSHOTS_PER_MINUTE,
            limits::SNAPSHOTS_BURST,
            grouped(limits::RATE_MAX.into())
        ),
        format!("valid session tokens of a session | {} |", limits::TOKENS_MAX),
        format!(
            "{} day by default, at most {} days",
            limits::TOKEN_TTL_DEFAULT_SECS / 86_400,
            limits::TOKEN_TTL_MAX_SECS / 86_400
        ),
        format!("{} keys of {} bytes", limits::TOKEN_KEYS_MAX, limits::TOKEN_KEY_MIN_BYTES),
        format!("| {} visible ASCII", limits::IDEMPOTENCY_KEY_MAX_CHARS),
        format!("kept for {} h", limits::OPERATION_KEPT_MS / 3_600_000),
        format!(
            "after {} in that time, a further key is refused (`RATE_LIMITED`). Without a key, the newest {}",
            grouped(limits::OPERATIONS_MAX.unsigned_abs()),
            grouped(limits::OPERATIONS_KEPT.into())
        ),
        format!(
            "all answers up to {} KiB; of larger ones, the newest, up to {} KiB each and {} MiB per session",
            limits::OPERATION_ANSWER_SMALL_BYTES >> 10,
            limits::OPERATION_ANSWER_MAX_BYTES >> 10,
            limits::OPERATION_ANSWERS_MAX_BYTES >> 20
        ),
        format!("| events kept | {} per session", grouped(limits::EVENTS_KEPT.into())),
    ] {
        assert!(page.contains(&phrase), "docs/limits.md should say {phrase:?}");
    }
}

/// A walk that names what is gone leads nowhere, and one of more stops is too long.
#[test]
fn the_walks_of_architecture_md_exist_and_are_short() {
    let page = include_str!("../docs/architecture.md");
    let (_, walks) = page.split_once("\n## Walks\n").unwrap();
    let walks: Vec<&str> = walks.split("\n## ").next().unwrap().split("\n- **").skip(1).collect();
    assert!(walks.len() >= 4);
    for walk in walks {
        let walk = walk.split_whitespace().collect::<Vec<_>>().join(" ");
        let (title, _) = walk.split_once("**").unwrap();
        // A stop is a name in backticks, and the link to its file in brackets.
        let stops: Vec<&str> = walk.split(" ([`").collect();
        let count = stops.len() - 1;
        assert!((3..=10).contains(&count), "{title} has {count} stops");
        for stop in stops.windows(2) {
            let [before, after] = stop else { continue };
            let name = before.trim_end_matches('`').rsplit('`').next().unwrap();
            let file = after.split_once("](../").unwrap().1.split(')').next().unwrap();
            let text = std::fs::read_to_string(file).unwrap();
            let (of, function) = name.rsplit_once("::").unwrap_or(("", name));
            assert!(text.contains(&format!("fn {function}")), "{file} has no {function}, {title}");
            assert!(text.contains(of), "{file} has no {of}, {title}");
        }
    }
}
