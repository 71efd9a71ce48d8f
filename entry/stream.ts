// Streams made in Rust, for JavaScript and RPC.
import { guarded } from "./guard.ts";
import type { ByteSource } from "snapshotter-wasm";

/**
 * A stream of the bytes that Rust produces. We pull the source when the reader wants more, and cancel it when the
 * reader cancels. The runtime's own streams pass unchanged. Only byte streams cross RPC.
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
        // `close` does not end a pending read into the reader's own buffer.
        controller.byobRequest?.respond(0);
      }
    },
    cancel: () => guarded(() => source.cancel()),
  });
}
