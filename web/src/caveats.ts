// What to be careful about: the few things that matter near the top, in short sentences; the others beside the chart that they
// are about, and all of them at the end.
import { h } from "./dom";
import type { Aside, CautionKind, Caveat, Payload } from "./payload";
import { targetOf } from "./places";

type Child = HTMLElement | null | false;

// What to type is for those who ask.
function tipPart(tip: string): Child {
  return tip !== "" && h("details", { class: "tip" }, h("summary", {}, "Tip"), h("p", {}, tip));
}

function adviceParts({ advice, tip }: { advice: string; tip: string }): Child[] {
  return [advice !== "" && h("p", { class: "advice" }, advice), tipPart(tip)];
}

function item(severity: Caveat["severity"], id: string, text: string, ...more: Child[]): HTMLElement {
  const head = h("p", { class: "caveat-head" }, h("span", { class: "severity" }, severity), id !== "" && h("span", { class: "id" }, id));
  return h("li", { class: `caveat ${severity}` }, head, h("p", {}, text), ...more);
}

function membersOf(kind: CautionKind, payload: Payload): Caveat[] {
  const found: Caveat[] = [];
  for (const place of kind.caveats) {
    const caveat = payload.caveats[place];
    if (caveat && !found.some((other) => other.message === caveat.message)) found.push(caveat);
  }
  return found;
}

function kindItem(kind: CautionKind, payload: Payload, known: Set<number>): HTMLElement | null {
  const [first, ...others] = membersOf(kind, payload);
  if (!first) return null;
  const where = (caveat: Caveat): Child => {
    const target = targetOf(caveat.section, "", payload, known);
    return target && h("p", { class: "where" }, h("a", { href: target.href }, target.title));
  };
  const list = h("ul", { class: "alike" }, ...others.map((caveat) => h("li", {}, h("p", {}, caveat.message), where(caveat))));
  const more = others.length > 0 && h("details", {}, h("summary", {}, `${others.length} more of this kind`), list);
  return item(first.severity, first.id, first.message, ...adviceParts(first), where(first), more);
}

const listOf = (items: (HTMLElement | null)[]): HTMLElement => h("ul", { class: "caveats" }, ...items);
const heading = (): HTMLElement => h("h2", { id: "cautions-title" }, "Before you trust this");
const section = (...parts: Child[]): HTMLElement => h("section", { class: "cautions", id: "cautions", "aria-labelledby": "cautions-title" }, ...parts);

// Of a report: the few that matter.
export function cautionsInFront(payload: Payload): HTMLElement | null {
  if (payload.cautions.length === 0) return null;
  const front = payload.cautions.filter((kind) => kind.front);
  const all = h("p", { class: "where" }, h("a", { href: "#all-cautions" }, `All cautions and notes: ${payload.cautions.length}`));
  const items = front.map((kind) => item(kind.severity, "", kind.text));
  return section(heading(), items.length > 0 ? listOf(items) : h("p", {}, "Nothing stands out."), all);
}

export function allCautions(payload: Payload, known: Set<number>): HTMLElement | null {
  if (payload.cautions.length === 0) return null;
  const items = payload.cautions.map((kind) => kindItem(kind, payload, known));
  return h("details", { class: "all-cautions", id: "all-cautions" }, h("summary", {}, `All cautions and notes: ${payload.cautions.length}`), listOf(items));
}

// On pages without chapters: all of them, those that matter first.
export function cautionsPart(payload: Payload, known: Set<number>): HTMLElement | null {
  if (payload.cautions.length === 0) return null;
  const items = (front: boolean): (HTMLElement | null)[] => payload.cautions.filter((kind) => kind.front === front).map((kind) => kindItem(kind, payload, known));
  const [first, rest] = [items(true), items(false)];
  if (first.length === 0) return section(heading(), listOf(rest));
  return section(heading(), listOf(first), rest.length > 0 && h("details", {}, h("summary", {}, `${rest.length} more`), listOf(rest)));
}

const besideAtFirst = 1;

// The worst by the chart, which would otherwise be lost in a column of cautions.
export function asidesBeside(asides: Aside[]): (HTMLElement | null)[] {
  const list = (part: Aside[]): HTMLElement | null =>
    part.length > 0 ? h("ul", { class: "caveats small" }, ...part.map((aside) => item(aside.severity, "", aside.text, ...adviceParts(aside)))) : null;
  const rest = asides.slice(besideAtFirst);
  const more = rest.length === 0 ? null : h("details", {}, h("summary", {}, `${rest.length} more ${rest.length === 1 ? "caution" : "cautions"}`), list(rest));
  return [list(asides.slice(0, besideAtFirst)), more];
}
