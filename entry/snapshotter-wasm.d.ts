// The exports of the WebAssembly module that entry/ uses. tools/build.sh builds the module from src/.
declare module "snapshotter-wasm" {
  export default class {
    constructor(ctx: ExecutionContext, env: unknown);
    fetch(request: Request): Promise<Response>;
    serveBucket(request: Request, env: unknown, sandbox: string): Promise<Response>;
  }

  export class AgentHost {
    constructor(ctx: DurableObjectState, env: unknown);
    fetch(request: Request): Promise<Response>;
    alarm(): Promise<unknown>;
    call(op: string, args: unknown, control: unknown, scopes: string[] | null, stream?: ReadableStream<Uint8Array>): Promise<unknown>;
  }

  export class Directory {
    constructor(ctx: DurableObjectState, env: unknown);
    fetch(request: Request): Promise<Response>;
  }

  export class Pools {
    constructor(ctx: DurableObjectState, env: unknown);
    fetch(request: Request): Promise<Response>;
    alarm(): Promise<unknown>;
  }

  /** A stream made in Rust. It takes one `next` at a time, and `cancel` at any time. */
  export class ByteSource {
    next(): Promise<Uint8Array | undefined>;
    cancel(): Promise<void>;
  }

  export class Sandbox {
    constructor(ctx: DurableObjectState, env: unknown);
    fetch(request: Request): Promise<Response>;
    call(method: string, args: unknown[], stream?: ReadableStream<Uint8Array>): Promise<unknown>;
  }

  export class Starts {
    constructor(ctx: DurableObjectState, env: unknown);
    fetch(request: Request): Promise<Response>;
  }
}
