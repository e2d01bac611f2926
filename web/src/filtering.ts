// Which names a reader means who types a few letters.

// Letters alike but for case and accents are the same.
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

// Places of the names that contain every word of the query, in whatever order. Names that are the query, then those that
// begin with it, come first; otherwise the order stays.
export function matching(names: string[], query: string): number[] {
  const wanted = folded(query).trim();
  const all = names.map((_, i) => i);
  if (wanted === "") return all;
  const words = wanted.split(/\s+/);
  const plain = names.map(folded);
  const rank = (name: string): number => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2);
  return all
    .filter((i) => words.every((word) => plain[i]!.includes(word)))
    .sort((a, b) => rank(plain[a]!) - rank(plain[b]!) || a - b);
}
