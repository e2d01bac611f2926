// A text or a picture whose pieces speak for a prediction or against it.
import { h } from "./dom";
import type { MarkedPicture, MarkedText } from "./payload";

function markedText(marked: MarkedText): HTMLElement {
  const pieces = marked.runs.map(({ text, strength, hint }) =>
    strength === 0
      ? text
      : h("mark", { class: `${strength > 0 ? "raises" : "lowers"} strength-${Math.abs(strength)}`, title: hint ?? "" }, text),
  );
  return h("div", { class: "marked-text", lang: "", dir: "auto" }, ...pieces, !marked.all && h("span", { class: "muted" }, " … (the text goes on)"));
}

export function markedPieces(marked: MarkedText | MarkedPicture): HTMLElement {
  if ("runs" in marked) return markedText(marked);
  // Only pictures of our own making: whatever else a result says stays a word.
  const own = marked.picture.startsWith("data:image/png;base64,");
  return h("img", { class: "marked-picture", src: own ? marked.picture : "", alt: marked.alt });
}
