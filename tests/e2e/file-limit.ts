/**
 * Loaded into each test file by tools/test.sh: ends a file that hangs. Node's own limit is for tests. It does not end
 * hooks, nor what blocks the thread: hence another thread.
 */

import { Worker } from "node:worker_threads";

const LIMIT_MINUTES = 20;

// Only in test files: the runner loads this, too.
if (process.env["NODE_TEST_CONTEXT"]) {
  // It also says what the file waits for, if that is a process.
  const end = `
    const fs = require("node:fs");
    setTimeout(() => {
      const children = fs.readFileSync("/proc/${process.pid}/task/${process.pid}/children", "utf8").trim().split(" ");
      const commands = children.filter(Boolean).map((pid) => fs.readFileSync("/proc/" + pid + "/cmdline", "utf8").replaceAll("\\0", " "));
      fs.writeSync(2, ["${process.argv[1]} did not end within ${LIMIT_MINUTES} minutes. Its processes:", ...commands, ""].join("\\n"));
      process.kill(${process.pid}, "SIGKILL");
    }, ${LIMIT_MINUTES * 60_000});`;
  new Worker(end, { eval: true, execArgv: [] }).unref();
}
