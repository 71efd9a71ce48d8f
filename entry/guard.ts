// A panic aborts the WebAssembly instance and leaves its promises pending for ever. This file keeps the reject function
// of every pending call, and calls it when the abort handler reports a dead instance (src/platform/objects/panic.rs).

const PANIC = {
  code: "INTERNAL",
  retryable: true,
  outcome: "unknown",
  hint: "try again: the next call gets a new instance; check the current state first",
} as const;

/** Id of this build, for looking up the function names of a stack (tools/wasm-names.ts). */
declare const BUILD: string;

const underWay = new Set<(reason: Error) => void>();

function panicError(): Error {
  const incidentId = crypto.randomUUID();
  console.error(JSON.stringify({ level: "error", event: "panic", incidentId, build: BUILD }));
  const error = new Error("INTERNAL: an internal error; the operator finds it in the log");
  return Object.assign(error, { name: "SnapshotterError" }, PANIC, { details: { incidentId } });
}

declare global {
  var __snapshotterInstanceAborted: () => void;
  var __snapshotterAbortOnPanic: (transfer: { abort(): unknown }) => () => void;
  var __worker_init_state: { criticalError: boolean };
}

globalThis.__snapshotterInstanceAborted = () => {
  // The next call through worker-build's proxies makes a new instance.
  globalThis.__worker_init_state.criticalError = true;
  const rejections = [...underWay];
  underWay.clear();
  for (const reject of rejections) reject(panicError());
};

/**
 * Makes a panic abort a transfer, which the runtime would otherwise complete. The transfer's own object aborts it: only
 * the promise crosses over from the object that panicked. Returns a function that unregisters the transfer.
 */
globalThis.__snapshotterAbortOnPanic = (transfer) => {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => transfer.abort()).catch(() => {});
  underWay.add(reject);
  return () => underWay.delete(reject);
};

/** Settles as `call` does, or rejects with INTERNAL if the instance that serves it dies. */
export function guarded<T>(call: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    underWay.add(reject);
    // A panic before the first await throws here instead of leaving a promise.
    Promise.resolve()
      .then(call)
      .then(resolve, (reason: unknown) => reject(reason instanceof WebAssembly.RuntimeError ? panicError() : reason))
      .finally(() => underWay.delete(reject));
  });
}

/** Like `guarded`, for an HTTP response. */
export function guardedFetch(call: () => Promise<Response>): Promise<Response> {
  return guarded(call).catch((reason: unknown) => {
    if (!(reason instanceof Error) || !reason.message.startsWith("INTERNAL: ")) throw reason;
    const message = reason.message.slice("INTERNAL: ".length);
    const { details } = reason as Error & { details?: object };
    const headers = { "cache-control": "no-store" };
    return Response.json({ error: { message, ...PANIC, details } }, { status: 500, headers });
  });
}

/**
 * Guards a response whose body Rust still writes: if the instance dies, the body breaks off instead of staying open for
 * ever. Each write to this kind of stream waits until the object's storage is durable, as a whole response does.
 */
export function guardedStream(response: Response): Response {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) return response;
  const { readable, writable } = new IdentityTransformStream();
  const reader = response.body.getReader();
  const writer = writable.getWriter();
  // If either end fails, the other one ends too.
  const end = (reason: unknown) => Promise.allSettled([writer.abort(reason), reader.cancel(reason)]);
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
  underWay.add(breakOff);
  // Waits once: a race in the loop would add a reaction to this promise for every chunk.
  broken.catch(end);
  const pump = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return writer.close();
      await writer.write(value);
    }
  };
  pump()
    .catch(end)
    .finally(() => underWay.delete(breakOff));
  return new Response(readable, response);
}
