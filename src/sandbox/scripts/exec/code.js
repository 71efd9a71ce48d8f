// node -e THIS DIR: runs the file DIR/code, and writes the value of its last statement to DIR/result: {"json": VALUE},
// or {"text": REPRESENTATION} if JSON cannot express the value. undefined counts as no value; a promise is awaited.
//
// The code runs as a script, named code.js in stack traces. If it does not compile as one (await, return), it runs as
// the body of an async function. Either way an error rejects an unhandled promise: node prints it and exits with 1.
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
    // JSON cannot express the value: it has a cycle or a BigInt.
  }
  return JSON.stringify({ text: inspect(value) });
}

(async () => {
  const value = await compiled().runInThisContext();
  if (value !== undefined) fs.writeFileSync(`${directory}/result`, shown(value));
})();
