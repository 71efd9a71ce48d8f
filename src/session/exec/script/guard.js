// guard.js: replaces the console, and removes what would leave the isolate, before the script's
// module runs.
import config from "./config.js";

let text = "";
let room = config.logsMaxChars;

/** The console output since the last call. */
export function takeLogs() {
  const taken = text;
  text = "";
  return taken;
}

function shown(value) {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack ?? String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function write(...values) {
  if (room <= 0) return;
  const line = `${values.map(shown).join(" ")}\n`;
  text += line.slice(0, room);
  room -= line.length;
  if (room <= 0) text += "\n[the rest of the console output is left out]\n";
}

// The platform's console would write to the operator's log.
const written = ["log", "info", "warn", "error", "debug", "trace", "dir", "table"];
for (const name of Object.keys(console)) {
  if (typeof console[name] === "function") console[name] = written.includes(name) ? write : () => {};
}
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  write("Unhandled rejection:", event.reason);
});

// A cache would keep state.
delete globalThis.caches;
if (!config.network) {
  globalThis.fetch = async () => {
    throw new Error("the network is off for the scripts of this session (capabilities.script.network)");
  };
}
