/** The JSON of each event of a stream of Server-Sent Events. Ending the iteration early cancels the stream. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length)] : []));
        if (data.length > 0) yield JSON.parse(data.join("\n"));
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
