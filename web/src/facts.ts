// Names and values, and what several runs have in common.
import { h } from "./dom";
import type { Pair, Run } from "./payload";

export function facts(pairs: Pair[]): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const [name, value] of pairs) list.append(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  return list;
}

export const same = (a: Pair[], b: Pair[]): boolean => JSON.stringify(a) === JSON.stringify(b);

// The pairs that all of these lists have, in the order of the first.
export function common(lists: Pair[][]): Pair[] {
  const [first = [], ...rest] = lists;
  return first.filter(([name, value]) => rest.every((list) => list.some(([n, v]) => n === name && v === value)));
}

export function without(pairs: Pair[], left: Pair[]): Pair[] {
  return pairs.filter(([name]) => !left.some(([other]) => other === name));
}

export function different(runs: Run[], part: "model" | "data"): Pair[][] {
  const found: Pair[][] = [];
  for (const run of runs) {
    if (run[part].length > 0 && !found.some((pairs) => same(pairs, run[part]))) found.push(run[part]);
  }
  return found;
}
