// Precedes code.js and contexts/context.js: shows a value as {"json": VALUE}, or {"text": REPRESENTATION} if JSON cannot
// express it. undefined counts as no value.
const fs = require("node:fs");
const vm = require("node:vm");
const { inspect } = require("node:util");
const { createRequire } = require("node:module");

globalThis.require = createRequire(`${process.cwd()}/code.js`);

function shown(value) {
  try {
    const json = JSON.stringify({ json: value });
    if (json !== "{}") return json;
  } catch {
    // JSON cannot express the value: it has a cycle or a BigInt.
  }
  return JSON.stringify({ text: inspect(value) });
}
