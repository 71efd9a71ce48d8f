// Streams that Rust makes, as JavaScript and RPC know them.
import { guarded } from "./guard.ts";
import type { ByteSource } from "snapshotter-wasm";

/**
 * A stream of what Rust produces: asked for when its reader wants more, and told when it wants no more. One of the
 * runtime passes as it is. Only streams of bytes cross RPC.
 */
export function readable(source: ByteSource | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (source instanceof ReadableStream) return source;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const chunk = await guarded(() => source.next());
      if (chunk) {
        controller.enqueue(chunk);
      } else {
        controller.close();
        // Nobody else closes a read that waits for bytes into a buffer of its own.
        controller.byobRequest?.respond(0);
      }
    },
    cancel: () => guarded(() => source.cancel()),
  });
}
