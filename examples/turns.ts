// A saved turn for each request of a conversation: going back to a turn brings back its files and its messages.
import { Snapshotter } from "snapshotter-client";

const session = new Snapshotter().session(`turns-${Date.now()}`);
let messages: string[] = [];

/** A turn: a request, and what a model would do about it. */
async function turn(request: string, command: string): Promise<void> {
  const { stdout } = await session.run(command);
  messages.push(request, stdout.trim());
  // A turn that changed no file uploads nothing. The cursor is the caller's own: where the conversation stands.
  await session.saveTurn({ label: request, cursor: { messages: messages.length } });
}

/** Puts the files back to the end of a turn, and cuts the conversation there. */
async function backTo(number: number): Promise<void> {
  const rewound = await session.rewind({ turn: number });
  const cursor = rewound.turn?.cursor as { messages: number };
  messages = messages.slice(0, cursor.messages);
}

await session.open({ destroyOnClose: true });
await turn("write a poem", "printf 'roses are red\\n' | tee poem.txt");
await turn("how long is it?", "wc -w < poem.txt");
await turn("make it sad", "rm poem.txt && echo 'I threw it away'");

for await (const { number, label, changes } of session.timeline()) {
  const { added = 0, modified = 0, removed = 0 } = changes?.counts ?? {};
  console.log(`turn ${number}, ${label}: +${added} ~${modified} -${removed}`);
}
await backTo(2);
console.log(`${messages.length} messages, the last is ${messages.at(-1)}; ${(await session.readFile("poem.txt")).content.trim()}`);
await session.close();
