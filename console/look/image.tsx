/** Images of workspaces. */

import { useEffect, useState } from "preact/hooks";
import { visible } from "../parts/text.tsx";
import { bytesOf } from "../session/trees.ts";

/** Image types that can't run code. SVG may hold scripts. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export const isShown = (mimeType: string) => SHOWN.has(mimeType);

export function Image({ base64, mimeType, alt }: { base64: string; mimeType: string; alt: string }) {
  const [url, setUrl] = useState<string>();
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytesOf(base64)], { type: mimeType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [base64, mimeType]);
  if (broken) return <p>This is named as an image, but your browser can't show it.</p>;
  return url ? <img class="picture" src={url} alt={visible(alt)} onError={() => setBroken(true)} /> : null;
}
