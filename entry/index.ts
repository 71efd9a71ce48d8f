// The Worker's entry point. Everything but these exports is in Rust (src/). We use worker-build's own entry point but
// do not export it: it would publish every Rust function as a remote method.
import RustEntrypoint from "snapshotter-wasm";
import { guardedFetch } from "./guard.ts";

export { AgentHost } from "./agent-host.ts";
export { Directory } from "./directory.ts";
export { Egress } from "./egress.ts";
export { Pools } from "./pools.ts";
export { Sandbox } from "./sandbox.ts";
export { Starts } from "./starts.ts";

export default {
  fetch: (request: Request, env: unknown, ctx: ExecutionContext) =>
    guardedFetch(() => new RustEntrypoint(ctx, env).fetch(request)),
};
