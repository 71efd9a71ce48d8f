/** The API's values in plain words. */

import type { DecisionView, DeleteReason, KeepReason, Language, Ownerless, ShownState, SnapshotTrigger, WorkspaceKind, WorkspaceStatus } from "snapshotter-client";

const KEPT: Record<KeepReason, string> = {
  newest: "kept: the newest",
  pinned: "kept: pinned",
  head: "kept: a workspace wakes from it",
  beingRead: "kept: a workspace is being made from it",
  rebuilt: "kept: recently put back",
  retired: "kept: the last save of a retired workspace",
  keepLast: "kept: one of the latest",
  keepDaily: "kept: the latest of its day",
  unexpired: "kept until it expires",
};

const DELETED: Record<DeleteReason, string> = {
  expired: "to be deleted: expired",
  superseded: "to be deleted: later ones exist",
  supersededAutosave: "to be deleted: later automatic saves exist",
  maxCount: "to be deleted: more than the policy allows",
  maxBytes: "to be deleted: larger than the policy allows",
  operator: "to be deleted by the operator's rule",
};

/** Why a snapshot is kept, or is about to be deleted. */
export function fate(decision: DecisionView): string {
  return decision.verdict === "keep" ? (KEPT[decision.reason] ?? decision.reason) : (DELETED[decision.reason] ?? decision.reason);
}

/** Why a prune leaves backups, by the keys of `kept`. */
export const STAYS: Record<string, string> = {
  tooYoung: "too young",
  notAskedFor: "not asked for",
  latest: "among the latest",
  pinned: "pinned",
  head: "needed to wake a workspace",
  beingRead: "being read",
  unfinished: "being taken or deleted",
  base: "deleted, with layers that need them",
  otherBinding: "in another bucket",
  ownerless: "listed by no session",
};

export const TRIGGER: Record<SnapshotTrigger, string> = {
  manual: "Snapshot",
  auto: "Automatic save",
  safety: "Safety snapshot",
  turn: "Turn",
  import: "Imported",
};

export const STATE: Record<ShownState, string> = {
  pending: "being taken",
  ready: "ready",
  expired: "expired",
  deleting: "being deleted",
  deleted: "deleted",
  failed: "failed",
};

export const KIND: Record<WorkspaceKind, string> = {
  origin: "First workspace",
  shared: "Shared workspace",
  restored: "Restored workspace",
  branch: "Branch",
};

export const STATUS: Record<WorkspaceStatus, string> = { running: "running", paused: "paused", stopped: "asleep" };

export const LANGUAGE: Record<Language, string> = { python: "Python", javascript: "JavaScript" };

export const OWNERLESS: Record<Ownerless, string> = {
  legacy: "made by @cloudflare/sandbox",
  incomplete: "uploads that were never completed",
  lost: "unknown to the session that they name",
};
