// A coding agent that goes back: it keeps a change if the tests pass, and else rewinds to the last files that passed.
import { Snapshotter } from "snapshotter-client";

const session = new Snapshotter().session(`going-back-${Date.now()}`);

const TESTS = `from slug import slug
assert slug("Hello World") == "hello-world"
assert slug(" two  spaces ") == "two-spaces"
`;

/** What a model would propose, one after the other. A command may change any number of files. */
const CHANGES = [
  { title: "join words by dashes", command: `echo 'def slug(text): return "-".join(text.lower().split())' > slug.py` },
  { title: "replace spaces", command: `echo 'def slug(text): return text.lower().replace(" ", "-")' > slug.py; touch notes.txt` },
  { title: "accept anything", command: `sed -i 's/text.lower/str(text).lower/' slug.py` },
];

await session.open({ destroyOnClose: true });
await session.writeFile("test_slug.py", TESTS);
let good = (await session.snapshot({ name: "only tests" })).snapshot;
for (const { title, command } of CHANGES) {
  await session.run(command);
  const tests = await session.run(["python3", "-B", "test_slug.py"]);
  if (tests.success) {
    good = (await session.snapshot({ name: title })).snapshot;
    console.log(`kept: ${title}`);
  } else {
    // Exactly the files of the snapshot again. What failed is in a safety snapshot, to be looked at later.
    const { safetyRef } = await session.rewind(good.id);
    const { content } = await session.callTool("workspace_read_file", { at: safetyRef!, path: "slug.py" });
    console.log(`went back: ${title}: ${tests.stderr.trim().split("\n").at(-1)} by ${content.trim()}`);
  }
}
console.log((await session.readFile("slug.py")).content.trim());
await session.close();
