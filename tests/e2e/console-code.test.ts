/** The console's code contexts and scripts, in a browser, against real containers and isolates. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectFitsPhone, expectNoViolations, useBrowser } from "./browser.ts";
import { Console } from "./console/pages.ts";
import { until, useWorld, type Session } from "./support.ts";

const TOKEN_KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
const world = useWorld({ env: { LOADER: { type: "worker-loader" } }, vars: { TOKEN_KEYS } });
const browser = useBrowser();

const minted = async (session: Session, scopes: string[]) => (await session.http<{ token: string }>("POST", "/tokens", { scopes })).token;
const tabs = (view: Console) => view.page.getByRole("navigation", { name: "Views" }).getByRole("link").allInnerTexts();

describe("code contexts", () => {
  const STATEFUL = { capabilities: { fs: true, shell: true, code: { stateful: true }, snapshot: true } };
  const run = async (view: Console, code: string) => {
    await view.page.getByLabel("Code to run").fill(code);
    await view.page.getByLabel("Code to run").press("Control+Enter");
  };

  it("are created, keep variables, show values, images and errors, and are deleted", async () => {
    const session = await world.opened("contexts", STATEFUL);
    const view = await Console.at(browser, world, "#/sessions/contexts/code");
    const { page } = view;
    await page.getByText("None. The list is empty while no container runs.").waitFor();
    assert.deepEqual(world.worker.containers(), [], "to look starts nothing");
    await page.getByLabel("Language").selectOption("Python");
    await view.button("Create").click();
    await run(view, "x = {'a': [1, 2]}\nprint('printed')\nx");
    await page.getByRole("log", { name: "Output 1" }).getByText("printed").waitFor();
    assert.deepEqual(JSON.parse(await page.getByRole("region", { name: "Value 1" }).innerText()), { a: [1, 2] });
    await run(view, "len(x['a'])");
    await page.getByRole("region", { name: "Value 2" }).getByText("2", { exact: true }).waitFor();

    // A red dot of one pixel, and an image that could run something.
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    await run(view, `import base64, os\nout = os.environ['OUTPUT_DIR'] + '/'\nopen(out + 'dot.png', 'wb').write(base64.b64decode('${png}'))\nopen(out + 'x.svg', 'w').write('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')\nNone`);
    await page.getByRole("img", { name: "dot.png" }).waitFor();
    assert.equal(await page.getByRole("img", { name: "dot.png" }).evaluate((image) => (image as any).decode().then(() => (image as any).naturalWidth)), 1);
    assert.equal(await page.locator("img").count(), 1);
    await run(view, "nothing");
    await page.getByRole("log", { name: "Output 4" }).getByText("NameError").waitFor();
    await page.getByText("It ended with exit code 1.").waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);

    // Stopped, it keeps its variables.
    await run(view, "open('begun', 'w')\nwhile True: pass");
    await until("the code runs", async () => (await session.run("test -e begun")).exitCode === 0);
    await view.button("Stop").click();
    await page.getByText(/^Stopped\. The variables/).waitFor();
    // Until the interrupt has arrived, the context takes no other call, and says so.
    await until("the context is free", async () => {
      await run(view, "x['a'][1] + 40");
      await page.getByText("Running…").waitFor({ state: "detached" });
      return (await page.getByRole("region", { name: /^Value/ }).getByText("42", { exact: true }).count()) > 0;
    });

    await run(view, "import sys; sys.exit(7)");
    await page.getByText(/^It ended with exit code 7\. The context has ended: .*exited with 7/).waitFor();
    await page.getByText("This context has ended.").waitFor();
    await page.getByLabel("Language").selectOption("JavaScript");
    await view.button("Create").click();
    await run(view, "await Promise.resolve('<i>text</i>')");
    await page.getByRole("region", { name: "Value 1" }).getByText('"<i>text</i>"').waitFor();
    await view.act(/^Delete…/, "Delete", async (dialog) => {
      await dialog.getByText("with its variables").waitFor();
      await expectNoViolations(page);
    });
    await view.told(/The code context is deleted/);
    await page.getByText("None. The list is empty while no container runs.").waitFor();
    assert.deepEqual((await session.http<{ contexts: unknown[] }>("GET", "/code-contexts")).contexts, []);
    await session.close();
  });

  it("are offered where the session has them, and run by those who may write", async () => {
    const only = await world.opened("contexts-js", { capabilities: { fs: true, shell: true, code: { stateful: true, languages: ["javascript"] }, snapshot: true } });
    const { context } = await only.http<{ context: string }>("POST", "/code-contexts", { language: "javascript" });
    const view = await Console.at(browser, world, "#/sessions/contexts-js/code");
    assert.deepEqual(await view.page.getByLabel("Language").locator("option").allInnerTexts(), ["JavaScript"]);
    const reader = await Console.at(browser, world, "#/sessions/contexts-js/code", await minted(only, ["read"]));
    await reader.page.getByText(context).waitFor();
    assert.equal(await reader.page.locator("main").getByRole("button").count(), 0);
    await world.opened("contexts-none");
    await view.goTo("#/sessions/contexts-none/timeline");
    const offered = await tabs(view);
    assert.ok(offered.includes("Commands") && !offered.includes("Code") && !offered.includes("Script"), `${offered}`);
    await only.close();
  });
});

describe("scripts", () => {
  it("run with their calls, print, fail, and are stopped", async () => {
    const session = await world.opened("script", { capabilities: { fs: true, shell: true, code: true, script: { maxDurationMs: 60_000 }, snapshot: true } });
    await session.sh("echo content > file");
    await session.snapshot({ name: "one" });
    const view = await Console.at(browser, world, "#/sessions/script/script");
    const { page } = view;
    const run = async (code: string) => {
      await page.getByLabel("JavaScript, the body of an async function").fill(code);
      await view.button("Run").click();
    };
    await page.locator("summary", { hasText: "What it can call" }).click();
    await page.getByText("list_snapshots").first().waitFor();
    await run(`console.log("printed"); const { snapshots } = await workspace.list_snapshots({});
      return [snapshots.map(({ name }) => name), (await workspace.read_file({ at: "one", path: "file" })).content];`);
    await page.getByText(/^Done, after \d+ ms and 2 calls\.$/).waitFor();
    assert.deepEqual(JSON.parse(await page.getByRole("region", { name: "Value" }).innerText()), [["one"], "content\n"]);
    await page.getByRole("log", { name: "What it printed" }).getByText("printed").waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);
    await run("throw new TypeError('<b>wrong</b>')");
    await page.getByRole("log", { name: "Why it failed" }).getByText("TypeError: <b>wrong</b>").waitFor();
    await run("await new Promise(() => {})");
    await view.button("Stop").click();
    await page.getByText(/^Stopped\./).waitFor();

    // A script has the rights of its caller.
    const reader = await Console.at(browser, world, "#/sessions/script/script", await minted(session, ["read"]));
    await reader.page.getByLabel("JavaScript, the body of an async function").fill("await workspace.write_file({ path: 'file', content: '' })");
    await reader.button("Run").click();
    await reader.page.getByRole("log", { name: "Why it failed" }).getByText("FORBIDDEN").waitFor();
    assert.equal(await session.sh("cat file"), "content\n");
    await session.close();
  });
});
