// A text whose words speak for a prediction or against it.
import { h } from "./dom";
import type { MarkedText } from "./payload";

export function markedText(marked: MarkedText): HTMLElement {
  const pieces = marked.runs.map(({ text, strength, hint }) =>
    strength === 0
      ? text
      : h("mark", { class: `${strength > 0 ? "raises" : "lowers"} strength-${Math.abs(strength)}`, title: hint ?? "" }, text),
  );
  return h("div", { class: "marked-text", lang: "", dir: "auto" }, ...pieces, !marked.all && h("span", { class: "muted" }, " … (the text goes on)"));
}
