// node -e THIS DIR: runs the file DIR/code, and writes the value of its last statement to DIR/result: {"json": VALUE},
// or {"text": REPRESENTATION} for a value that is no JSON. undefined is no value; a promise is waited for.
//
// The code is a script called code.js in stack traces. What a script can't have (await, return) it has as a function.
// An error, then, is the value of a promise that nobody handles: node prints it and exits with 1.
const fs = require("node:fs");
const vm = require("node:vm");
const { inspect } = require("node:util");
const { createRequire } = require("node:module");

const directory = process.argv[1];
const source = fs.readFileSync(`${directory}/code`, "utf8");
globalThis.require = createRequire(`${process.cwd()}/code.js`);

function compiled() {
  const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const options = { filename: "code.js", importModuleDynamically };
  try {
    return new vm.Script(source, options);
  } catch (first) {
    try {
      return new vm.Script(`(async () => {\n${source}\n})()`, { ...options, lineOffset: -1 });
    } catch {
      throw first;
    }
  }
}

function shown(value) {
  try {
    const json = JSON.stringify({ json: value });
    if (json !== "{}") return json;
  } catch {
    // A cycle, or a number past JSON's.
  }
  return JSON.stringify({ text: inspect(value) });
}

(async () => {
  const value = await compiled().runInThisContext();
  if (value !== undefined) fs.writeFileSync(`${directory}/result`, shown(value));
})();
