export { Snapshotter } from "./client.ts";
export { Session, type SnapshotName, type ToolOptions } from "./session.ts";
export { Workspace, type RunEvent, type ToolName, type WatchEvent, type WorkspaceName } from "./workspace.ts";
export { Pages } from "./pages.ts";
export { errorOf, type Answer, type Arguments, type Bytes, type CallOptions, type ClientOptions, type KeyedOptions, type NamedOptions } from "./transport.ts";
export * from "./errors.ts";
export * from "./generated/errors.ts";
export type * from "./generated/openapi.ts";
