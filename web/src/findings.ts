// What to know first: the findings as sentences, each with a way to where it comes from.
import { h } from "./dom";
import type { Payload } from "./payload";
import { targetOf } from "./places";

export function findingsPart(payload: Payload, known: Set<number>): HTMLElement | null {
  if (payload.findings.length === 0) return null;
  const list = h("ol", { class: "findings" });
  for (const finding of payload.findings) {
    const target = targetOf(finding.section, finding.chapter, payload, known);
    const link = target && h("a", { href: target.href }, target.title);
    list.append(h("li", {}, h("p", {}, finding.text), link && h("p", { class: "where" }, link)));
  }
  return h(
    "section",
    { class: "first", id: "findings", "aria-labelledby": "findings-title" },
    h("h2", { id: "findings-title" }, "What to know first"),
    list,
  );
}
