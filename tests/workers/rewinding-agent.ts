/**
 * An agent whose user can go back to any turn, files and conversation together. A Worker on the `agents` package; its
 * object reaches a session's `AgentHost` by binding. The model is scripted: it runs what the user says in a shell, and
 * answers with what that printed. Everything else is real.
 *
 * Each turn is saved at its end, and its cursor names the last message. Messages are only added, each after
 * another one: so the way back to a turn that was rewound is open, too.
 */

import { Agent, getAgentByName } from "agents";
import type { AgentHostApi, Timeline } from "../../entry/snapshotter.d.ts";

interface Env {
  AGENT_HOST: DurableObjectNamespace;
  RewindingAgent: DurableObjectNamespace<RewindingAgent>;
}

interface Message {
  role: "user" | "assistant";
  text: string;
  /** The message before; null for the first. */
  after: number | null;
}

/** All messages, and the last one of the conversation as it is now. Both survive every restart. */
interface Memory {
  messages: Message[];
  last: number | null;
}

type Wish = { say: string } | { backTo: number } | { timeline: true };

export class RewindingAgent extends Agent<Env, Memory> {
  override initialState: Memory = { messages: [], last: null };

  get #host(): DurableObjectStub & AgentHostApi {
    return this.env.AGENT_HOST.getByName(this.name) as DurableObjectStub & AgentHostApi;
  }

  override async onRequest(request: Request): Promise<Response> {
    await this.#host.open();
    const wish: Wish = await request.json();
    if ("say" in wish) return Response.json(await this.#turn(wish.say));
    if ("backTo" in wish) return Response.json(await this.#backTo(wish.backTo));
    return Response.json(await this.#timeline());
  }

  /** The user says something, and the agent does it. */
  async #turn(said: string): Promise<number> {
    this.#remember("user", said);
    const ran: any = await this.#host.callTool("workspace_run", { command: said });
    this.#remember("assistant", ran.stdout);
    const cursor = { last: this.state.last };
    const { snapshot } = await this.#host.saveTurn({ cursor, label: said.replace(/\s+/g, " ").slice(0, 100) });
    if (!snapshot.turn) throw new Error("a saved turn has no number");
    return snapshot.turn.number;
  }

  /** The files first: if that fails, the conversation is as it was, too. */
  async #backTo(turn: number): Promise<Message[]> {
    const rewound = await this.#host.rewind({ turn });
    const { last } = rewound.turn?.cursor as { last: number };
    this.setState({ ...this.state, last });
    return this.#conversation();
  }

  #conversation(): Message[] {
    const found: Message[] = [];
    let at = this.state.last;
    while (at !== null) {
      const message = this.state.messages[at]!;
      found.unshift(message);
      at = message.after;
    }
    return found;
  }

  #timeline(): Promise<Timeline> {
    return this.#host.timeline();
  }

  #remember(role: Message["role"], text: string): void {
    const { messages, last } = this.state;
    this.setState({ messages: [...messages, { role, text, after: last }], last: messages.length });
  }
}

export default {
  /** Any path is an agent's name. */
  async fetch(request: Request, env: Env): Promise<Response> {
    const agent = await getAgentByName(env.RewindingAgent, new URL(request.url).pathname.slice(1));
    return agent.fetch(request);
  },
};
