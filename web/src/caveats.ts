// What to be careful about: all of it near the top, worst first, and again beside the chart that it is about.
import { caveatKinds, type CaveatKind } from "./caveat_kinds";
import { h } from "./dom";
import type { Caveat, Payload } from "./payload";
import { targetOf } from "./places";

type Where = (caveat: Caveat) => HTMLElement | null;

function item(caveat: Caveat, ...more: (HTMLElement | null | false)[]): HTMLElement {
  return h(
    "li",
    { class: `caveat ${caveat.severity}` },
    h("p", { class: "caveat-head" }, h("span", { class: "severity" }, caveat.severity), h("span", { class: "id" }, caveat.id)),
    h("p", {}, caveat.message),
    caveat.advice !== "" && h("p", { class: "advice" }, caveat.advice),
    ...more,
  );
}

function kindItem({ first, others }: CaveatKind, where: Where): HTMLElement {
  if (others.length === 0) return item(first, where(first));
  const list = h("ul", { class: "alike" }, ...others.map((caveat) => h("li", {}, h("p", {}, caveat.message), where(caveat))));
  return item(first, where(first), h("details", {}, h("summary", {}, `${others.length} more of this kind`), list));
}

const atFirst = 6;

export function caveatsPart(payload: Payload, known: Set<number>): HTMLElement | null {
  if (payload.caveats.length === 0) return null;
  const where: Where = (caveat) => {
    const target = targetOf(caveat.section, "", payload, known);
    return target && h("p", { class: "where" }, h("a", { href: target.href }, target.title));
  };
  const items = caveatKinds(payload.caveats).map((kind) => kindItem(kind, where));
  const rest = items.slice(atFirst);
  return h(
    "section",
    { class: "cautions", id: "cautions", "aria-labelledby": "cautions-title" },
    h("h2", { id: "cautions-title" }, "Before you trust this"),
    h("ul", { class: "caveats" }, ...items.slice(0, atFirst)),
    rest.length > 0 && h("details", {}, h("summary", {}, `${rest.length} more`), h("ul", { class: "caveats" }, ...rest)),
  );
}

const besideAtFirst = 3;

// The first few by the chart, which would otherwise be lost in a column of cautions.
export function caveatsBeside(caveats: Caveat[]): (HTMLElement | null)[] {
  const list = (part: Caveat[]): HTMLElement | null =>
    part.length > 0 ? h("ul", { class: "caveats small" }, ...part.map((caveat) => item(caveat))) : null;
  const rest = caveats.slice(besideAtFirst);
  const more = rest.length === 0 ? null : h("details", {}, h("summary", {}, `${rest.length} more cautions`), list(rest));
  return [list(caveats.slice(0, besideAtFirst)), more];
}
