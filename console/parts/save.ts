import { visible } from "./text.tsx";

/** Makes the browser save these bytes as a file. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = visible(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
