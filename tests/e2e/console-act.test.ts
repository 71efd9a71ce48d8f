/** Each action of the console, what it says, and its undo, on real containers. */

import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { describe, it } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import type { Locator } from "playwright-core";
import { expectFitsPhone, expectNoViolations, useBrowser } from "./browser.ts";
import { Console } from "./console/pages.ts";
import { until, useWorld } from "./support.ts";

const world = useWorld();
const browser = useBrowser();

describe("acting on snapshots", () => {
  it("takes, names, labels, pins and deletes them", async () => {
    const session = await world.opened("snapshots");
    await session.sh("echo one > file");
    const view = await Console.at(browser, world, "#/sessions/snapshots/timeline");
    const dialog = await view.act("Take a snapshot", "Take it", async (dialog) => {
      await dialog.getByText("The workspace goes on unchanged").waitFor();
      await dialog.getByLabel("Name", { exact: true }).fill("one");
      await dialog.getByLabel("Labels").fill("tests=pass\nkept");
      await expectNoViolations(view.page);
      await expectFitsPhone(view.page);
    });
    await dialog.waitFor({ state: "detached" });
    await view.told(/^Saved as one, [\d.]+ KB\.$/);
    await expectNoViolations(view.page);
    const [one] = (await session.list()).snapshots;
    assert.deepEqual([one!.name, one!.labels], ["one", { tests: "pass", kept: "" }]);

    // The same files again, and no other name.
    await view.act("Take a snapshot", "Take it");
    await view.told(/No file had changed.*one/);
    await session.sh("echo two > file");
    await view.act("Take a snapshot", "Take it");
    await view.told(/^Saved, /);
    assert.equal((await session.list()).snapshots.length, 2);
    await view.undo(/deleted/);
    assert.deepEqual((await session.list()).snapshots.map(({ name }) => name), ["one"]);

    await view.unfold("one");
    await view.act("Name and labels: one", "Save", async (dialog) => {
      assert.equal(await dialog.getByLabel("Labels").inputValue(), "kept=\ntests=pass");
      await dialog.getByLabel("Name", { exact: true }).fill("good");
      await dialog.getByLabel("Labels").fill("tests=fail\nnew=1");
    });
    await view.told(/^Saved\.$/);
    const edited = async () => (await session.list()).snapshots.map(({ name, labels, pinned }) => ({ name, labels, pinned }))[0];
    assert.deepEqual(await edited(), { name: "good", labels: { tests: "fail", new: "1" }, pinned: false });
    await view.undo(/as they were/);
    assert.deepEqual(await edited(), { name: "one", labels: { tests: "pass", kept: "" }, pinned: false });

    // A comma in a label and a line feed in a description survive an edit of something else.
    const noted = { labels: { kept: "", note: "one, two", tests: "pass" }, description: "first line\nsecond line" };
    const annotated = async () => (await session.list()).snapshots.map(({ labels, description }) => ({ labels, description }))[0];
    await session.http("PATCH", "/snapshots/one", noted);
    await view.act("Name and labels: one", "Save", async (dialog) => {
      assert.equal(await dialog.getByLabel("Labels").inputValue(), "kept=\nnote=one, two\ntests=pass");
      assert.equal(await dialog.getByLabel("Description").inputValue(), noted.description);
      await dialog.getByLabel("Name", { exact: true }).fill("noted");
    });
    await view.told(/^Saved\.$/);
    assert.deepEqual([(await edited())!.name, await annotated()], ["noted", noted]);
    await view.undo(/as they were/);
    assert.deepEqual([(await edited())!.name, await annotated()], ["one", noted]);
    await view.act("Name and labels: one", "Save", (dialog) => dialog.getByLabel("Labels").fill("note=one, two=2"));
    await view.told(/^Saved\.$/);
    assert.deepEqual(await annotated(), { ...noted, labels: { note: "one, two=2" } });

    await view.act("Pin or unpin: one", "Pin");
    await view.told(/^Pinned/);
    await view.page.getByText("pinned", { exact: true }).waitFor();
    assert.equal((await edited())!.pinned, true);

    // Its error says why, and what to do.
    const refused = await view.act("Delete: one", "Delete");
    assert.match(await (await view.failed("CONFLICT")).innerText(), /force/, "the hint");
    await expectNoViolations(view.page);
    await refused.getByLabel(/Also if it is pinned/).check();
    await refused.getByRole("button", { name: "Delete" }).click();
    await view.told(/one is deleted/);
    assert.equal((await session.list()).snapshots.length, 0);
    await session.close();
  });

  it("rewinds, restores and branches, and goes back", async () => {
    const session = await world.opened("going");
    await session.sh("echo one > file");
    await session.snapshot({ name: "one" });
    await session.sh("echo two > file");
    const view = await Console.at(browser, world, "#/sessions/going/timeline");
    await view.unfold("one");
    await view.act("Rewind: one", "Rewind", (dialog) => dialog.getByText("Saves the present files of the active workspace first").waitFor());
    await view.told(/The files are those of one/);
    assert.equal(await session.sh("cat file"), "one\n");
    await view.undo(/as they were before/);
    assert.equal(await session.sh("cat file"), "two\n");
    await view.page.getByText(/^Rewound to/).first().waitFor();

    await view.act("Restore: one", "Restore");
    await view.told(/has the files, and is active/);
    const restored = (await session.active()).ref.id;
    assert.match(restored, /^going-restored-/);
    assert.equal(await session.sh("cat file"), "one\n");
    await view.undo(/going is active again/);
    assert.equal(await session.sh("cat file"), "two\n");

    await view.act("Branch: one", "Branch", (dialog) => dialog.getByLabel("Make it the active workspace").uncheck());
    await view.told(/going-branch-.* has the files\./);
    assert.equal((await session.active()).ref.id, "going");
    assert.equal((await session.workspaces()).workspaces.length, 3);
    await view.undo(/is deleted/);
    assert.deepEqual((await session.workspaces()).workspaces.map(({ ref }) => ref.ref.id), ["going", restored]);

    // Someone else switched meanwhile, and the page has not heard of it: nothing is rewound.
    await view.page.waitForLoadState("networkidle");
    await view.page.route(/\/events\?/, (route) => route.abort());
    await session.switch((await session.workspaces()).workspaces[1]!.ref);
    await view.act("Rewind: one", "Rewind");
    await view.failed("PRECONDITION_FAILED");
    await session.close();
  });
});

describe("watching", () => {
  it("shows the newest turn and its lines, live, and undoes it", async () => {
    const session = await world.opened("watched");
    await session.sh("printf 'one\\ntwo\\n' > file");
    await session.http("POST", "/turns", { label: "two lines" });
    await session.sh("printf 'one\\nTWO\\nthree\\n' > file");
    await session.http("POST", "/turns", { label: "a third" });
    const view = await Console.at(browser, world, "#/sessions/watched/watch");
    const { page } = view;
    const turns = page.getByRole("navigation", { name: "Turns" });
    await page.getByRole("heading", { name: "Turn 2: a third" }).waitFor();
    await page.getByRole("cell", { name: "+three" }).waitFor();
    await turns.getByRole("link", { name: /^Turn 2 a third .* \+2 −1 lines 1 command$/ }).waitFor();
    await turns.getByRole("link", { name: /^Turn 1 two lines .* \+2 −0 lines 1 command$/ }).waitFor();
    await page.getByRole("tabpanel", { name: "Commands" }).getByRole("heading", { name: "In the background" }).waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);
    await page.getByRole("tab", { name: "Commands" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tabpanel", { name: "Preview" }).getByText("No link leads here now.").waitFor();
    await expectNoViolations(page);
    // A shell goes on while another tab is looked at.
    const shell = page.getByRole("tabpanel", { name: "Terminal" });
    await page.getByRole("tab", { name: "Terminal" }).click();
    await shell.locator("[data-state=open]", { hasText: "Connected" }).waitFor();
    await page.keyboard.type("sleep 300\r");
    await page.getByRole("tab", { name: "Commands" }).click();
    await until("the shell runs", async () => (await session.sh("pgrep -cf 'slee[p] 300' || true")).trim() === "1");
    await page.getByRole("tab", { name: "Terminal" }).click();
    await shell.locator("[data-state=open]", { hasText: "Connected" }).waitFor();
    assert.equal((await session.sh("pgrep -cf 'slee[p] 300' || true")).trim(), "1", "it is the same shell");

    // Another turn is shown when it ends, with what its commands printed.
    assert.equal((await session.run("echo new > other; echo told >&2; exit 3")).exitCode, 3);
    await session.http("POST", "/turns", { label: "another file" });
    await page.getByRole("heading", { name: "Turn 3: another file" }).waitFor();
    await turns.getByRole("link", { name: /\d commands, 1 failed$/ }).waitFor();
    await page.getByRole("tab", { name: "Commands" }).click();
    await page.getByText("exit code 3").click();
    await page.getByRole("log", { name: /^End of the output of echo new/ }).getByText("told").waitFor();
    await expectNoViolations(page);
    await page.getByRole("cell", { name: "+new" }).waitFor();
    await view.follow("Timeline");
    await view.unfold("Turn 3");
    const turn = page.getByRole("listitem").filter({ hasText: "another file" }).first();
    await turn.getByText(/commands, 1 failed$/).waitFor();
    await turn.getByRole("list", { name: "Commands" }).getByText("exit code 3").waitFor();
    await view.follow("Commands");
    await page.getByText("exit code 3").first().waitFor();
    await expectNoViolations(page);
    await view.follow("Watch");
    await turns.getByRole("link", { name: /^Turn 1/ }).click();
    await page.getByRole("cell", { name: "+two" }).waitFor();
    await session.sh("echo unsaved > third");
    await turns.getByRole("link", { name: /^Now/ }).click();
    await page.getByRole("cell", { name: "+unsaved" }).waitFor();

    // What has changed since the last turn counts as one.
    await view.act("Undo the last turn", "Undo it", (dialog) => dialog.getByText("puts it back by one turn").waitFor());
    await view.told(/What has changed since the last turn is undone/);
    assert.equal(await session.sh("ls"), "file\nother\n");
    await view.act("Undo the last turn", "Undo it");
    await view.told(/Turn 3 is undone/);
    assert.equal(await session.sh("cat file; ls"), "one\nTWO\nthree\nfile\n");
    await view.act("Undo the last turn", "Undo it");
    await view.told(/Turn 2 is undone/);
    assert.equal(await session.sh("cat file"), "one\ntwo\n");
    await view.undo(/as they were before/);
    assert.equal(await session.sh("cat file"), "one\nTWO\nthree\n");
    await turns.getByRole("link", { name: /^Turn 1/ }).click();
    await view.act("Rewind to its end", "Rewind");
    await view.told(/The files are those of Turn 1/);
    // What is there now comes from turn 1, though later turns exist; a command alone shows what it changed.
    await turns.getByRole("link", { name: /^Now/ }).click();
    await page.getByText("no differences").waitFor();
    await session.sh("echo live >> file");
    await page.getByRole("cell", { name: "+live" }).waitFor();
    await session.close();
  });
});

describe("archives", () => {
  const CROSSING = { capabilities: { fs: true, shell: true, snapshot: { crossSession: true } } };

  it("are made of snapshots, become snapshots, and come out of the bucket", async () => {
    const session = await world.opened("archives", CROSSING);
    await session.sh("mkdir d; echo content > d/f; chmod 750 d");
    await session.snapshot({ name: "the first" });
    const view = await Console.at(browser, world, "#/sessions/archives/timeline");
    const { page } = view;
    await view.unfold("the first");
    const saved = page.waitForEvent("download");
    await view.act("Download: the first", "Download", (dialog) => dialog.getByText("stay as they are").waitFor());
    await view.told(/^the_first\.tar\.zst has \d+ B\.$/);
    const download = await saved;
    assert.equal(download.suggestedFilename(), "the_first.tar.zst");
    const archive = fs.readFileSync(await download.path());
    assert.ok(zstdDecompressSync(archive).includes("content\n"));

    const choose = (dialog: Locator, name: string, buffer: Buffer) => dialog.getByLabel("Archive").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
    await view.act("Import…", "Import", async (dialog) => {
      await choose(dialog, "a.tar.zst", archive);
      await dialog.getByLabel("Name", { exact: true }).fill("imported");
      await dialog.getByLabel("Description").fill("<i>from a file</i>");
      await expectNoViolations(page);
      await expectFitsPhone(page);
    });
    await view.told(/^Imported as imported, [\d.]+ KB\.$/);
    const { snapshot } = await session.get("imported");
    assert.deepEqual([snapshot.trigger, snapshot.description], ["import", "<i>from a file</i>"]);
    await session.sh("rm -r d");
    await session.http("POST", "/rewind", { ref: "imported" });
    assert.equal(await session.sh("cat d/f; stat -c %a d"), "content\n750\n");
    await view.act("Import…", "Import", (dialog) => choose(dialog, "broken.tar", Buffer.from("no archive")));
    await view.failed("INVALID_ARGUMENT");
    await view.button("Cancel").click();

    // As the SDK puts it.
    const id = randomUUID();
    await (await world.r2()).put(`backups/${id}.tar.zst`, archive);
    const wrong = await view.act("Import a backup…", "Import", async (dialog) => {
      await dialog.getByLabel("Id of the backup").fill(id);
      await dialog.getByLabel("SHA-256").fill("0".repeat(64));
      await expectNoViolations(page);
      await expectFitsPhone(page);
    });
    await view.failed("INTEGRITY");
    await wrong.getByLabel("SHA-256").fill(createHash("sha256").update(archive).digest("hex"));
    await wrong.getByRole("button", { name: "Import" }).click();
    await view.told(/^Imported, /);
    await view.undo(/deleted/);
    await view.act("Import a backup…", "Import", async (dialog) => {
      await dialog.getByLabel("Id of the backup").fill(`backups/${id}.tar.zst`);
      await dialog.getByLabel("Name", { exact: true }).fill("by key");
    });
    await view.told(/^Imported as by key, /);
    assert.equal((await session.get("by key")).snapshot.sha256, snapshot.sha256);

    await session.close();
    await view.goTo("#/sessions/archives/timeline");
    await page.getByText("closed", { exact: true }).waitFor();
    await view.unfold("the first");
    await view.button("Pin or unpin: the first").waitFor();
    assert.equal(await view.button(/^Download|^Import/).count(), 0, "a closed session starts no container");
  });

  it("of the bucket are for those who may cross", async () => {
    const session = await world.opened("archives-own");
    const view = await Console.at(browser, world, "#/sessions/archives-own/timeline");
    await view.button("Import…").waitFor();
    assert.equal(await view.button("Import a backup…").count(), 0);
    await session.close();
  });
});

describe("acting on workspaces", () => {
  it("promotes, switches, pauses, resumes and deletes them", async () => {
    const session = await world.opened("several");
    await session.sh("echo base > file; echo x > other");
    await session.snapshot({ name: "base" });
    const { ref: { id } } = await session.branch("base");
    await session.sh("echo better > file", { workspace: id });
    const view = await Console.at(browser, world, "#/sessions/several/workspaces");
    await expectNoViolations(view.page);
    await expectFitsPhone(view.page);
    await view.act(`Promote: ${id}`, "Promote");
    await view.told(/0 added, 1 modified, 0 removed/);
    assert.equal(await session.sh("cat file"), "better\n");
    await view.undo(/as they were before/);
    assert.equal(await session.sh("cat file"), "base\n");

    await session.sh("echo mine > file");
    const conflict = await view.act(`Promote: ${id}`, "Promote");
    await view.failed("CONFLICT");
    await conflict.getByRole("list", { name: "Conflicts" }).getByText("file").waitFor();
    await conflict.getByLabel("Where both changed").selectOption("theirs");
    await conflict.getByRole("button", { name: "Promote" }).click();
    await view.told(/1 modified/);
    assert.equal(await session.sh("cat file"), "better\n");

    await view.act(`Switch: ${id}`, "Switch");
    await view.told(/is active\./);
    assert.equal((await session.active()).ref.id, id);
    await view.undo(/several is active again/);

    const statusOf = async (of: string) => (await session.workspaces()).workspaces.find(({ ref }) => ref.ref.id === of)?.status;
    await view.act(`Pause: ${id}`, "Pause");
    await view.told(/is paused/);
    assert.equal(await statusOf(id), "paused");
    await view.act(`Resume: ${id}`, "Resume");
    await view.told(/runs\./);
    assert.equal(await statusOf(id), "running");
    await view.act(`Delete: ${id}`, "Delete", (dialog) => dialog.getByText("can't be undone").waitFor());
    await view.told(/is deleted/);
    assert.equal(await statusOf(id), undefined);
    assert.equal(await view.result.getByRole("button", { name: "Undo" }).count(), 0);

    await view.goTo("#/sessions/several/timeline");
    await view.act("Fork", "Fork");
    await view.told(/1 workspace made/);
    await view.undo(/deleted/);
    assert.equal((await session.workspaces()).workspaces.length, 1);
    await session.close();
  });

  it("shows how far a call is, and stops it", async () => {
    const session = await world.opened("stopping");
    await session.sh("head -c 400M /dev/urandom > large");
    const view = await Console.at(browser, world, "#/sessions/stopping/timeline");
    const dialog = await view.act("Take a snapshot", "Take it");
    await dialog.getByText(/[1-9] s$/).waitFor();
    await dialog.getByRole("button", { name: "Stop" }).click();
    await dialog.getByRole("alert").getByText("Cancelled").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await session.close();
  });
});
