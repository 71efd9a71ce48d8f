import RustEntrypoint from "snapshotter-wasm";
import { guardedFetch } from "./guard.ts";

/** Answers requests of a container's S3 client from its session's buckets (src/gateway). */
export function serveBucket(request: Request, props: { sandbox: string }, env: unknown, ctx: ExecutionContext): Promise<Response> {
  return guardedFetch(() => new RustEntrypoint(ctx, env).serveBucket(request, env, props.sandbox));
}
