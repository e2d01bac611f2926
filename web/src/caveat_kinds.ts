// Cautions of one kind are told once: the same words for twenty features would hide the others.
import type { Caveat } from "./payload";

export interface CaveatKind {
  first: Caveat;
  others: Caveat[];
}

const severities = ["warning", "caution", "note"];

// Worst first, otherwise in the order given.
export function caveatKinds(caveats: Caveat[]): CaveatKind[] {
  const kinds = new Map<string, CaveatKind>();
  for (const caveat of caveats) {
    const key = `${caveat.severity} ${caveat.id}`;
    const kind = kinds.get(key);
    if (!kind) kinds.set(key, { first: caveat, others: [] });
    else if (![kind.first, ...kind.others].some((old) => old.message === caveat.message)) kind.others.push(caveat);
  }
  const rank = (kind: CaveatKind): number => severities.indexOf(kind.first.severity);
  return [...kinds.values()].sort((a, b) => rank(a) - rank(b));
}
