// harness.js: runs a script, and connects it with its session. Each message is a line of JSON.
//
// The script shares this isolate, so the session trusts nothing here: it checks what it reads, and makes only the calls
// that the caller of the script may make.
import { takeLogs } from "./guard.js";
import config from "./config.js";
import script from "./script.js";

// The script may replace global objects.
const { parse, stringify } = JSON;
const encoder = new TextEncoder();

let begun = false;

export default {
  async fetch(request, env, ctx) {
    // The script could send a request of its own, which nobody would end.
    if (begun) throw new Error("the script has begun");
    begun = true;
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const send = (message) => writer.write(encoder.encode(`${stringify({ ...message, logs: takeLogs() })}\n`));
    const calls = new Map();
    let last = 0;

    const call = async (tool, input = {}) => {
      const failure = new Error();
      const { promise, resolve, reject } = Promise.withResolvers();
      const id = ++last;
      calls.set(id, { resolve, reject: (error) => reject(failed(failure, error)) });
      await send({ call: id, tool, input });
      return promise;
    };
    const workspace = Object.freeze(Object.fromEntries(config.tools.map((tool) => [tool, (input) => call(tool, input)])));

    const run = async () => {
      // The response begins first.
      await null;
      let done;
      try {
        done = result(await script(workspace));
      } catch (error) {
        done = { error: described(error) };
      }
      await send({ done });
      await writer.close();
    };

    run().catch(() => {});
    receive(request.body, calls)
      .catch(() => {})
      // The session reads no more. Without this, work that the script passed to waitUntil would go on.
      .finally(() => ctx.abort(new Error("the script has ended")));
    return new Response(readable);
  },
};

/** Settles calls with the answers that come. */
async function receive(body, calls) {
  let parts = [];
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const [rest, ...begun] = chunk.split("\n");
    parts.push(rest);
    for (const next of begun) {
      settle(parse(parts.join("")), calls);
      parts = [next];
    }
  }
}

function settle({ answer, value, error }, calls) {
  const { resolve, reject } = calls.get(answer);
  calls.delete(answer);
  if (error) reject(error);
  else resolve(value);
}

/** The error of a call, with the stack of the call. */
function failed(failure, { code, message, ...fields }) {
  const words = `${code}: ${message}`;
  const stack = `SnapshotterError: ${words}${failure.stack.slice(failure.stack.indexOf("\n"))}`;
  return Object.assign(failure, fields, { name: "SnapshotterError", code, message: words, stack });
}

function described(error) {
  let text;
  try {
    text = String(error?.stack ?? error);
    const hint = error?.hint;
    if (typeof hint === "string") text += `\nHint: ${hint}`;
  } catch {
    text = "a value that can't be shown was thrown";
  }
  const lines = text.split("\n").filter((line) => !/^ +at .*\b(harness|guard)\.js:/.test(line));
  return lines.join("\n").slice(0, config.errorMaxChars);
}

/** What a script returned. */
function result(value) {
  if (value === undefined) return {};
  let json;
  try {
    json = stringify(value);
  } catch {
    // JSON can't express a cycle or a BigInt.
  }
  if (json === undefined) {
    try {
      return { valueText: String(value).slice(0, config.errorMaxChars) };
    } catch {
      return { valueText: Object.prototype.toString.call(value) };
    }
  }
  const size = encoder.encode(json).length;
  if (size > config.valueMaxBytes) {
    return { error: `the value has ${size} bytes of JSON, and at most ${config.valueMaxBytes} are returned: return less` };
  }
  return { value: parse(json) };
}
