/** The console's views of files and differences, in a browser, against real containers. */

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { expectFitsPhone, expectNoViolations, useBrowser } from "./browser.ts";
import { idOf, TOKEN, until, useWorld, type Session } from "./support.ts";

const world = useWorld();
const browser = useBrowser();

/** A red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const HOSTILE = "<img src=x onerror=alert(1)>\u202Etxt.js";
const FILES = `
import base64, os
def put(name, content):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    open(name, "wb").write(content if isinstance(content, bytes) else content.encode())
put("src/app/main.py", "import math\\n\\n\\ndef area(radius):\\n    # of a circle\\n    return 3 * radius ** 2\\n\\n\\nprint(area(2))\\n")
put("README.md", "# Circles\\n\\nThe area of a circle.\\n")
put("long.txt", "".join(f"line {n} of many\\n" for n in range(1, 3001)))
put("pixel.png", base64.b64decode("${PIXEL}"))
put("script.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>document.title='ran'</script></svg>")
put("liar.png", "<script>document.title='ran'</script>")
put("data.bin", bytes(range(256)) * 8)
put(${JSON.stringify(HOSTILE)}, "<b>bold</b> \\x1b[31mred\\x07 \\u202Eesrever\\n")
open(b"not-utf8-\\xff", "w").close()
for n in range(250): put(f"many/{n:03}", "")
put("empty", "")
put("z.txt", "".join(f"{n} has no room\\n" for n in range(20000)))
`;

let session: Session;
/** The two snapshots, and a workspace beside the active one. */
const ids = { before: "", after: "", fork: "" };

const open = (address: string, options = {}) => browser.openConsole(world.worker.url, `#/sessions/look/${address}`, TOKEN, options);
const inSnapshot = (path: string) => `files?in=snapshot:${ids.before}&path=${encodeURIComponent(path)}`;
const go = (page: Page, address: string) => page.evaluate(`location.hash = ${JSON.stringify(`#/sessions/look/${address}`)}`);
const content = (page: Page) => page.getByRole("region", { name: /^Content of/ });

describe("looking at", () => {
  before(async () => {
    session = await world.opened("look");
    await session.sh(["python3", "-c", FILES]);
    ids.before = idOf(await session.snapshot({ name: "before" }));
    const { workspaces } = await session.http<{ workspaces: { ref: { ref: { id: string } } }[] }>("POST", "/forks", { count: 1 });
    ids.fork = workspaces[0]!.ref.ref.id;
    await session.sh("sed -i 's/3 \\*/math.pi */; 2d' src/app/main.py; mv README.md READ.md; rm empty; printf 'one\\ntwo' > new.txt");
    await session.sh("printf other >> src/app/main.py", { workspace: ids.fork });
    ids.after = idOf(await session.snapshot({ name: "<i>after</i>" }));
  });

  describe("files", () => {
    it("are browsed in directories and read, by the keyboard alone", async () => {
      const page = await open(`files?in=snapshot:${ids.before}`);
      const files = page.getByRole("navigation", { name: "Files" });
      await files.getByRole("button", { name: "src" }).focus();
      await page.keyboard.press("Enter");
      await files.getByRole("button", { name: "app" }).waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await files.getByRole("link", { name: "main.py" }).waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "src/app/main.py" }).waitFor();
      await content(page).locator(".hljs-keyword", { hasText: "def" }).waitFor();
      assert.match((await content(page).textContent())!, /# of a circle\n {4}return 3 \* radius \*\* 2\n/);
      await expectNoViolations(page);
      await expectFitsPhone(page);
      await page.reload();
    });

    it("of a running workspace are as they are now, and lists go on", async () => {
      const page = await open(`files?in=workspace:look`);
      const files = page.getByRole("navigation", { name: "Files" });
      await files.getByRole("link", { name: "new.txt" }).click();
      await page.getByText("two").waitFor();
      await files.getByRole("button", { name: "many" }).click();
      await files.getByRole("link", { name: "199" }).waitFor();
      assert.equal(await files.getByRole("link", { name: "200" }).count(), 0);
      await files.getByRole("button", { name: "More files" }).click();
      await files.getByRole("link", { name: "249" }).waitFor();
      await page.getByText("not-utf8-\uFFFD (not UTF-8)").waitFor();
      await session.sh("echo three >> new.txt");
      await page.getByRole("button", { name: "Read again" }).click();
      await page.getByText("three").waitFor();
      await session.sh("truncate --size -6 new.txt");
    });

    it("that are long come in parts, and a line in the address is shown", async () => {
      for (const at of [`in=snapshot:${ids.before}`, "in=workspace:look"]) {
        const page = await open(`files?${at}&path=long.txt&line=1500`);
        await content(page).locator(".marked", { hasText: "line 1500 of many" }).waitFor();
        assert.equal(await content(page).getByText("line 1000 of many").count(), 0);
        await page.getByRole("button", { name: "From line 2001" }).click();
        await content(page).getByText("line 3000 of many").waitFor();
        await page.getByRole("button", { name: "From the beginning" }).click();
        await content(page).getByText("line 1 of many").waitFor();
      }
    });

    it("are shown as images only if they can be nothing else", async () => {
      const page = await open(inSnapshot("pixel.png"));
      const picture = page.getByRole("img", { name: "pixel.png" });
      await picture.waitFor();
      assert.equal(await picture.evaluate<number, { decode(): Promise<void>; naturalWidth: number }>((image) => image.decode().then(() => image.naturalWidth)), 1);
      assert.match((await picture.getAttribute("src"))!, /^blob:/);
      await expectNoViolations(page);
      await go(page, inSnapshot("script.svg"));
      await content(page).getByText("document.title=").waitFor();
      await go(page, inSnapshot("liar.png"));
      await content(page).getByText("<script>document.title='ran'</script>").waitFor();
      await go(page, inSnapshot("data.bin"));
      await page.getByText("This file is no text").waitFor();
      await page.getByText(/^00000040 {2}40 41 42/m).waitFor();
      await expectFitsPhone(page);
      await go(page, inSnapshot("empty"));
      await page.getByText("The file is empty.").waitFor();
      assert.notEqual(await page.title(), "ran");
    });

    it("with hostile names and contents are text", async () => {
      const page = await open(inSnapshot(HOSTILE));
      const text = (await content(page).textContent())!;
      assert.match(text, /<b>bold<\/b> U\+001B\[31mredU\+0007 U\+202Eesrever/);
      assert.match((await page.getByRole("heading", { level: 2 }).textContent())!, /<img src=x onerror=alert\(1\)>U\+202Etxt\.js/);
      assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 0);
      await expectFitsPhone(page);
      await expectNoViolations(page);
    });

    it("are saved as bytes", async () => {
      const page = await open(inSnapshot("long.txt"));
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
      assert.equal(download.suggestedFilename(), "long.txt");
      const chunks: Buffer[] = [];
      for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
      assert.match(Buffer.concat(chunks).toString(), /^line 1 of many\n[^]*line 3000 of many\n$/);
    });

    it("are searched", async () => {
      const page = await open(`files?in=snapshot:${ids.before}`);
      await page.getByLabel("Find in files").fill("CIRCLE");
      await page.keyboard.press("Enter");
      await page.getByText(/^3 lines in 2 files\./).waitFor();
      await expectNoViolations(page);
      await page.getByRole("link", { name: "Line 5", exact: true }).click();
      await content(page).locator(".marked", { hasText: "# of a circle" }).waitFor();
      await page.getByLabel("Find in files").fill("^def .*:$");
      await page.getByLabel("Regular expression").check();
      await page.getByLabel("Only files like").fill("*.md");
      await page.keyboard.press("Enter");
      await page.getByText(/^0 lines/).waitFor();
      await go(page, "files?in=workspace:look&find=%5Edef+.*%3A%24&regex=1");
      await page.getByText(/^1 line in 1 file\./).waitFor();
      await go(page, `files?in=snapshot:${ids.before}&find=(&regex=1`);
      await page.getByRole("alert").getByText("INVALID_ARGUMENT").first().waitFor();
      await expectFitsPhone(page);
    });

    it("of a snapshot that is not there are an error with a hint", async () => {
      const page = await open("files?in=snapshot:none&path=a");
      await page.getByRole("alert").getByText("no snapshot of this session is named none").first().waitFor();
    });
  });

  describe("differences", () => {
    it("of the active workspace are those since its last snapshot, or all files if it has none", async () => {
      const page = await open("diff");
      await page.getByText("no differences").waitFor();
      await (await world.opened("look-new")).sh(["python3", "-c", FILES]);
      await page.evaluate(`location.hash = "#/sessions/look-new/diff"`);
      await page.getByText(/no files → look-new \(active, running\): \d+ added\./).waitFor();
      // Long ones wait to be asked for.
      await page.getByRole("button", { name: "Show 3000 lines of long.txt" }).click();
      await page.getByRole("region", { name: "Changes of long.txt" }).getByText("line 3000 of many").waitFor();
      await page.getByRole("button", { name: "More changes" }).click();
      await page.getByText("It is left out, because there are many changes.").getByRole("button", { name: "Show it" }).click();
      await page.getByRole("button", { name: "Show 20000 lines of z.txt" }).waitFor();
    });

    it("of any two are listed, unified and side by side", async () => {
      const page = await open(`diff?from=snapshot:${ids.before}&to=workspace:look`);
      const list = page.getByRole("navigation", { name: "Changed files" });
      await list.getByRole("button", { name: /^src\/app\/main\.py ?, modified/ }).click();
      assert.match((await page.evaluate<string>("document.activeElement.textContent"))!, /^src\/app\/main\.py/);
      const changes = page.getByRole("region", { name: "Changes of src/app/main.py" });
      await changes.getByRole("cell", { name: "+ return math.pi * radius ** 2" }).waitFor();
      await changes.getByRole("cell", { name: "- return 3 * radius ** 2" }).waitFor();
      await page.getByText("README.md → READ.md").waitFor();
      await page.getByText("(no line feed at the end)").waitFor();
      await expectNoViolations(page);
      await expectFitsPhone(page);
      await page.getByLabel("Side by side").check();
      const row = changes.getByRole("row", { name: /6 .*return 3 \* radius \*\* 2 5 .*return math\.pi/ });
      await row.waitFor();
      await expectNoViolations(page);
      await expectFitsPhone(page);
      await page.getByLabel("To", { exact: true }).selectOption(`snapshot:${ids.before}`);
      await page.getByText("no differences").waitFor();
      await list.waitFor({ state: "detached" });
      await page.getByLabel("To", { exact: true }).selectOption(`snapshot:${ids.after}`);
      await changes.waitFor();
    });

    it("have colours that are not the page's, in light and in dark", async () => {
      const page = await open(`diff?from=snapshot:${ids.before}&to=snapshot:${ids.after}`);
      const added = page.getByRole("cell", { name: "+ return math.pi * radius ** 2" });
      await added.waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const colours = await page.evaluate<string[]>(`["td.text.added, .added td.text", "td.text.removed, .removed td.text", ".same td.text"].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)`);
        assert.equal(new Set(colours).size, 3, `${colorScheme}: ${colours}`);
      }
      await expectNoViolations(page);
    });

    it("have ignored files if that is asked for", async () => {
      const other = await world.opened("look-ignored");
      await other.sh("echo built > .gitignore; echo 1 > source");
      await other.snapshot({ name: "before" });
      await other.sh("echo 2 > source; echo 3 > built");
      const page = await browser.openConsole(world.worker.url, "#/sessions/look-ignored/diff", TOKEN);
      const changed = page.getByRole("navigation", { name: "Changed files" });
      await changed.getByRole("button", { name: /^source/ }).waitFor();
      assert.equal(await changed.getByRole("button", { name: /^built/ }).count(), 0);
      await page.getByLabel("Ignored files, too").check();
      await changed.getByRole("button", { name: /^built/ }).waitFor();
      await other.close();
    });

    it("begin with the file that the address names, whatever its place", async () => {
      const page = await open(`diff?to=snapshot:${ids.before}&path=z.txt`);
      const focused = () => page.evaluate<string>("document.activeElement.textContent");
      await until("the file has the focus", async (saw) => {
        saw(await focused());
        return (await focused()).startsWith("z.txt");
      });
      const list = page.getByRole("navigation", { name: "Changed files" });
      await list.getByRole("button", { name: /^and \d+ others$/ }).waitFor();
      await page.getByRole("button", { name: /^More changes: \d+ are left$/ }).waitFor();
      await expectNoViolations(page);
    });

    it("with hostile names are text", async () => {
      const page = await open(`diff?to=snapshot:${ids.before}`);
      await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
      assert.equal(await page.evaluate("document.querySelectorAll('img, i').length"), 0);
    });

    it("of several workspaces are compared, and by a command", async () => {
      const page = await open("compare");
      await page.getByLabel("Command to run in each").fill("grep -q math.pi src/app/main.py");
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("row", { name: /^look \(active\) .*exit 0/ }).waitFor();
      await page.getByRole("row", { name: new RegExp(`^${ids.fork} 0 0 1 0 exit 1`) }).waitFor();
      await page.getByRole("heading", { name: "Changed by several" }).waitFor();
      await expectNoViolations(page);
      await expectFitsPhone(page);
      await page.getByRole("group").filter({ hasText: ids.fork }).getByRole("link", { name: "src/app/main.py" }).click();
      await page.getByRole("cell", { name: "+other (no line feed at the end)" }).waitFor();
      await page.goBack();
      await page.getByLabel("Command to run in each").fill("true");
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("link", { name: `Lines that ${ids.fork} changed` }).click();
      await page.getByRole("cell", { name: "+other (no line feed at the end)" }).waitFor();
    });

    it("of a workspace are promoted where they are compared", async () => {
      const page = await open("compare");
      await page.getByLabel("Command to run in each").fill("echo looked; exit 3");
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("region", { name: `What the command printed in ${ids.fork}` }).getByText("looked").waitFor();
      assert.equal(await page.getByRole("button", { name: /^Promote: look$/ }).count(), 0, "the active one is there already");
      await page.getByRole("button", { name: `Promote: ${ids.fork}` }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Where both changed").selectOption("theirs");
      await dialog.getByRole("button", { name: "Promote", exact: true }).click();
      await page.getByText(/1 modified, 0 removed/).waitFor();
      assert.match(await session.sh("cat src/app/main.py"), /other$/);
    });
  });
});
