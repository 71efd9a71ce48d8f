// node -e THIS DIR IDLE: runs the code of one call after another, in one global scope. context.sh describes how calls
// arrive, context.py what a call's directory has. What timers and servers print between two calls goes to the process's
// log.
//
// The inspector evaluates the code as a console does: const and let can be declared again, await works at the top
// level, and declarations are kept. vm.runInThisContext around it lets SIGINT end code that never yields.
//
// SIGINT can't end a function that waits: nothing in JavaScript can. So an interrupted call is abandoned: its timers
// are cleared, which ends most loops that wait, and what it still prints is dropped. AsyncLocalStorage tells which call
// a task belongs to.
const { AsyncLocalStorage, createHook } = require("node:async_hooks");
const inspector = require("node:inspector");
const net = require("node:net");

// The code may replace the global functions.
const { clearImmediate, clearTimeout, setTimeout } = globalThis;
const [directory, idleSeconds] = [process.argv[1], Number(process.argv[2])];
const { closeSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync, writeSync, constants } = fs;
const STEP = Symbol.for("snapshotter.step");
const session = new inspector.Session();
session.connect();
let interrupt;
process.on("SIGINT", () => interrupt?.());
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, complain);

// import() has no loader in code that the inspector evaluates.
globalThis.importModule = (name) => import(name.startsWith(".") ? new URL(name, `file://${process.cwd()}/`).href : name);

// Everything that a call starts has the call's store, however much later it runs.
const calls = new AsyncLocalStorage();
createHook({
  init(_id, type, _trigger, timer) {
    if (type !== "Timeout" && type !== "Immediate") return;
    const store = calls.getStore();
    if (store?.abandoned) process.nextTick(() => clear(timer));
    else if (store?.timers) remember(store, timer);
  },
}).enable();

function remember(store, timer) {
  if (store.timers.length === store.sweepAt) {
    store.timers = store.timers.filter((timer) => timer.deref());
    store.sweepAt = store.timers.length * 2 + 1000;
  }
  store.timers.push(new WeakRef(timer));
}

// Node's own timers, of sockets and servers, do not keep it running, and stay: later calls may use them.
function clear(timer) {
  if (!timer?.hasRef()) return;
  clearTimeout(timer);
  clearImmediate(timer);
}

function abandon(store) {
  store.abandoned = true;
  for (const timer of store.timers) clear(timer.deref());
}

// The streams of node would end at the first broken pipe.
for (const [stream, descriptor] of [[process.stdout, 1], [process.stderr, 2]]) {
  stream.write = (chunk, encoding, done) => {
    const callback = typeof encoding === "function" ? encoding : done;
    print(descriptor, typeof chunk === "string" ? Buffer.from(chunk, typeof encoding === "string" ? encoding : "utf8") : chunk);
    if (callback) process.nextTick(callback);
    return true;
  };
}

function print(descriptor, bytes) {
  if (calls.getStore()?.abandoned) return;
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

// Node can't duplicate a descriptor. But a file opens as the lowest free descriptor.
function point(descriptor, path, flags) {
  try {
    closeSync(descriptor);
  } catch {
    // The code has closed the descriptor.
  }
  let opened = openSync(path, flags);
  while (opened < descriptor) opened = openSync(path, flags);
  if (opened > descriptor) process.exit(1);
}

// The file appears only when it is complete.
function write(path, text) {
  writeFileSync(`${path}.new`, `${text}\n`);
  renameSync(`${path}.new`, path);
}

function writeForCaller(path, text) {
  try {
    write(path, text);
  } catch {
    // The caller has given up and removed the directory, or the disk is full.
  }
}

// The stack without this file's own frames.
function complain(error) {
  try {
    if (error instanceof Error && typeof error.stack === "string") {
      const lines = error.stack.split("\n");
      const own = lines.findIndex((line) => /node:inspector|node:vm|\[eval\]/.test(line));
      if (own >= 0) error.stack = lines.slice(0, own).join("\n");
      if (error.code === "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING") error.stack += "\nIn a code context, use require() or await importModule().";
    }
    process.stderr.write(`${error instanceof Error ? "" : "Uncaught "}${inspect(error)}\n`);
  } catch {
    process.stderr.write("an error that can't be shown\n");
  }
}

const INTERRUPTED = Symbol("interrupted");
const MAY_GO_ON = "Its timers are cleared. What else it waits for may go on until the context is deleted, without output.";

// Runs work so that SIGINT ends it.
function breakable(work) {
  globalThis[STEP] = work;
  try {
    return vm.runInThisContext('globalThis[Symbol.for("snapshotter.step")]()', { breakOnSigint: true });
  } catch (error) {
    if (error?.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") return INTERRUPTED;
    throw error;
  } finally {
    delete globalThis[STEP];
  }
}

function evaluate(source) {
  return new Promise((resolve) => {
    const request = { expression: `${source}\n//# sourceURL=code.js`, replMode: true, awaitPromise: true, objectGroup: "call" };
    // This fails if the evaluation was ended.
    const done = breakable(() => session.post("Runtime.evaluate", request, (error, answer) => resolve(error ? INTERRUPTED : answer)));
    if (done === INTERRUPTED) resolve(INTERRUPTED);
  });
}

// The value that the inspector describes.
function taken(told) {
  if (told.objectId === undefined) return told.unserializableValue === undefined ? told.value : simple(told);
  let value;
  globalThis[STEP] = (object) => (value = object);
  const functionDeclaration = 'function () { "use strict"; globalThis[Symbol.for("snapshotter.step")](this); }';
  session.post("Runtime.callFunctionOn", { objectId: told.objectId, functionDeclaration });
  delete globalThis[STEP];
  return value;
}

function simple({ type, unserializableValue: text }) {
  return type === "bigint" ? BigInt(text.slice(0, -1)) : Number(text);
}

async function outcome(call, source) {
  let waited = false;
  const interrupted = new Promise((resolve) => {
    interrupt = () => {
      waited = true;
      resolve(INTERRUPTED);
    };
  });
  const store = { abandoned: false, timers: [], sweepAt: 1000 };
  try {
    const status = await Promise.race([interrupted, calls.run(store, attempt, call, source)]);
    if (status !== INTERRUPTED) return status;
    process.stderr.write(waited ? `Interrupted. ${MAY_GO_ON}\n` : "Interrupted\n");
    abandon(store);
    return 130;
  } finally {
    interrupt = undefined;
    store.timers = undefined;
    session.post("Runtime.releaseObjectGroup", { objectGroup: "call" });
  }
}

async function attempt(call, source) {
  try {
    const answer = await evaluate(source);
    if (answer === INTERRUPTED || calls.getStore().abandoned) return INTERRUPTED;
    if (answer.exceptionDetails) {
      const { exception, lineNumber } = answer.exceptionDetails;
      const error = taken(exception);
      // A SyntaxError is the only error that does not name its line.
      if (error instanceof SyntaxError) process.stderr.write(`code.js:${lineNumber + 1}\n`);
      complain(error);
      return 1;
    }
    const value = await taken(answer.result);
    // Showing the value may run the code's own methods.
    const text = value === undefined ? undefined : breakable(() => shown(value));
    if (text !== undefined && text !== INTERRUPTED) writeForCaller(`${call}/result`, text);
    return text === INTERRUPTED ? INTERRUPTED : 0;
  } catch (error) {
    complain(error);
    return 1;
  }
}

async function serve(call) {
  let source;
  try {
    source = readFileSync(`${call}/code`, "utf8");
    // Fails, and does not wait, if nobody reads any more.
    const probe = openSync(`${call}/stdout`, constants.O_WRONLY | constants.O_NONBLOCK);
    point(1, `${call}/stdout`, constants.O_WRONLY);
    point(2, `${call}/stderr`, constants.O_WRONLY);
    closeSync(probe);
  } catch {
    return;
  }
  write(`${directory}/running`, call);
  process.env.OUTPUT_DIR = `${call}/out`;
  const status = await outcome(call, source);
  for (const descriptor of [1, 2]) point(descriptor, `${directory}/log`, "a");
  unlinkSync(`${directory}/running`);
  writeForCaller(`${call}/done`, status);
}

let idle;
function rest() {
  idle = setTimeout(() => {
    write(`${directory}/why`, "idle");
    process.exit(0);
  }, idleSeconds * 1000);
}

// Opened for reading and writing, so that it never ends.
const requests = new net.Socket({ fd: openSync(`${directory}/requests`, constants.O_RDWR | constants.O_NONBLOCK) });
let [asked, queue] = ["", Promise.resolve()];
requests.setEncoding("utf8").on("data", (text) => {
  const lines = (asked + text).split("\n");
  asked = lines.pop();
  for (const call of lines) {
    queue = queue.then(async () => {
      clearTimeout(idle);
      // Without the files of a call nothing can answer it. The end of this process is the answer.
      await serve(call).catch(() => process.exit(1));
      rest();
    });
  }
});
rest();
write(`${directory}/ready`, "");
