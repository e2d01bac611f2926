// Names and values, and what several runs have in common.
import { h } from "./dom";
import type { Pair } from "./payload";

export function facts(pairs: Pair[]): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const [name, value] of pairs) list.append(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  return list;
}

// The pairs that all of these lists have, in the order of the first.
export function common(lists: Pair[][]): Pair[] {
  const [first = [], ...rest] = lists;
  return first.filter(([name, value]) => rest.every((list) => list.some(([n, v]) => n === name && v === value)));
}

export function without(pairs: Pair[], left: Pair[]): Pair[] {
  return pairs.filter(([name]) => !left.some(([other]) => other === name));
}

const mostValues = 3;

// All lists in one: a name has all its values.
export function joined(lists: Pair[][]): Pair[] {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of lists.flat()) values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values].map(([name, found]) => {
    const [first = "", ...others] = found;
    const many = others.length >= mostValues;
    return [name, many ? `${first} and ${others.length} others` : [first, ...others].join(" / ")];
  });
}
