// The Worker's entry point. Everything but these exports is in Rust (src/).
// Plain exports: worker-build's own entry point would publish every Rust function as a remote method.
import { fetch as serve } from "snapshotter-wasm";
import { guardedFetch } from "./guard.ts";

export { AgentHost } from "./agent-host.ts";
export { Sandbox } from "./sandbox.ts";

export default {
  fetch: (request: Request, env: unknown, ctx: ExecutionContext) => guardedFetch(() => serve(request, env, ctx)),
};
