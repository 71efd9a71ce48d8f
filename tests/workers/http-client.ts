/** A Worker that calls Snapshotter over HTTP, by a service binding, with the TypeScript client. */

import { Snapshotter } from "../../clients/typescript/src/index.ts";

interface Env {
  SNAPSHOTTER: Fetcher;
  TOKEN: string;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const snapshotter = new Snapshotter({ url: "http://snapshotter", token: env.TOKEN, fetch: (url, init) => env.SNAPSHOTTER.fetch(url, init) });
    const session = snapshotter.session(new URL(request.url).pathname.slice(1));
    await session.open();
    const output = [];
    for await (const event of session.runStream("mkdir made; echo from an isolate | tee made/file")) {
      if (event.type === "stdout") output.push(event.data);
    }
    const imported = await session.importTar(await session.exportTar({ path: "made" }), { path: "copy" });
    const { content } = await session.readFile("copy/file");
    return Response.json({ output: output.join(""), imported, content });
  },
} satisfies ExportedHandler<Env>;
