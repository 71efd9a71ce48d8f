// The workspace image has the programs that people and models commonly use, and they work there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../../tools/local-worker.ts";

test("the image is built from a base and packages that can't change", () => {
  const dockerfile = fs.readFileSync(path.join(ROOT, "Dockerfile"), "utf8");
  const defaults = new Map([...dockerfile.matchAll(/^ARG (\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  assert.match(defaults.get("BASE_IMAGE") ?? "", /^debian:[\d.]+-slim@sha256:[0-9a-f]{64}$/);
  assert.match(defaults.get("DEBIAN_SNAPSHOT") ?? "", /^20\d{6}T\d{6}Z$/);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  assert.ok(bases.length > 0 && bases.every((base) => base === "${BASE_IMAGE}"), `${bases}`);
  // Every use of the archive is a dated one, if there is a date.
  const uses = dockerfile.match(/apt-get \S+/g) ?? [];
  assert.deepEqual([...new Set(uses)], ["apt-get $dated"]);
});

/** A use of each program, as a script in an empty directory and without a network. */
const USES: Record<string, string> = {
  bash: "[[ $BASH_VERSION ]]",
  curl: "echo one >file && [ $(curl -sS file://$PWD/file) = one ]",
  find: "touch a && [ $(find . -name a) = ./a ]",
  git: "git init -q . && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one && git log -1 | grep -q one",
  jq: `[ $(echo '{"a":[1,2]}' | jq '.a[1]') = 2 ]`,
  less: "echo one | less | grep -q one",
  make: "printf 'all:\\n\\techo one\\n' >Makefile && make | grep -q one",
  node: "[ $(node -p '6*7') = 42 ]",
  npm: `mkdir one && echo '{"name":"one","version":"1.0.0","bin":"one.js"}' >one/package.json
    printf '#!/usr/bin/env node\\nconsole.log(1)' >one/one.js && npm pack --silent ./one && npm init -y >/dev/null
    npm install --offline --no-audit --silent ./one-1.0.0.tgz && node_modules/.bin/one | grep -q 1`,
  npx: "npx --version",
  patch: "printf 'a\\n' >a && printf 'b\\n' >b && ! diff -u a b >ab && patch -s a ab && cmp a b",
  pip: `python3 - <<'PY'
import zipfile
with zipfile.ZipFile("one-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("one.py", "ONE = 1\\n")
    wheel.writestr("one-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: one\\nVersion: 1.0\\n")
    wheel.writestr("one-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("one-1.0.dist-info/RECORD", "")
PY
    pip install --quiet --no-index ./one-1.0-py3-none-any.whl && cd / && python3 -c 'import one; assert one.ONE == 1'`,
  ps: "ps -eo pid,comm | grep -q bash",
  python3: "[ $(python3 -c 'print(6*7)') = 42 ]",
  rg: "echo one >file && [ $(rg -c one file) = 1 ]",
  sqfscat: "echo one >file && mksquashfs file out.sqsh -quiet >/dev/null && [ $(sqfscat out.sqsh file) = one ]",
  zstd: `echo one | zstd -q | zstd -dq | grep -q one`,
  unzip: `python3 -c 'import zipfile; zipfile.ZipFile("a.zip", "w").writestr("file", "one")' && unzip -q a.zip && grep -q one file`,
};

// As a session's commands run: as root, or as the user in its configuration.
for (const user of ["root", "agent"]) {
  test(`as ${user}, each program works`, { timeout: 300_000 }, async (t) => {
    for (const [program, script] of Object.entries(USES)) {
      await t.test(program, async () => {
        const run = `command -v ${program} >/dev/null; cd "$(mktemp -d)"; ${script}`;
        const args = ["run", "--rm", "--network", "none", "--user", user, process.env["WORKSPACE_IMAGE"]!, "bash", "-euc", run];
        await promisify(execFile)("docker", args).catch(({ stdout, stderr }) => assert.fail(`${stdout}${stderr}`));
      });
    }
  });
}
