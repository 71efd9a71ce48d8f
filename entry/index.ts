// The Worker's entry point. Everything but these exports is in Rust (src/).
// worker-build's own entry point is used and not exported: it would publish every Rust function as a remote method.
import RustEntrypoint from "snapshotter-wasm";
import { guardedFetch } from "./guard.ts";

export { AgentHost } from "./agent-host.ts";
export { Directory } from "./directory.ts";
export { Sandbox } from "./sandbox.ts";

export default {
  fetch: (request: Request, env: unknown, ctx: ExecutionContext) =>
    guardedFetch(() => new RustEntrypoint(ctx, env).fetch(request)),
};
