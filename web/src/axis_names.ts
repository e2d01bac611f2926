// Labels of levels are cut off where there is no room; under the pointer they say the whole name.
type Part = Record<string, unknown>;

const certainlyWhole = 14; // letters that no label limit cuts

const listOf = (part: Part, key: string): Part[] => (Array.isArray(part[key]) ? (part[key] as Part[]) : []);

function bandScales(group: Part, found: Set<unknown>): Set<unknown> {
  for (const scale of listOf(group, "scales")) if (scale["type"] === "band" || scale["type"] === "point") found.add(scale["name"]);
  for (const mark of listOf(group, "marks")) bandScales(mark, found);
  return found;
}

function named(group: Part, bands: Set<unknown>): Part {
  const axes = listOf(group, "axes").map((axis) => {
    if (!bands.has(axis["scale"]) || axis["labels"] === false) return axis;
    const encode = (axis["encode"] ?? {}) as Part;
    const labels = (encode["labels"] ?? {}) as Part;
    const tooltip = { signal: `length(datum.label) > ${certainlyWhole} ? datum.label : null` };
    const update = { ...((labels["update"] ?? {}) as Part), tooltip };
    return { ...axis, encode: { ...encode, labels: { ...labels, interactive: true, update } } };
  });
  const marks = listOf(group, "marks").map((mark) => (mark["type"] === "group" ? named(mark, bands) : mark));
  return { ...group, ...(axes.length > 0 ? { axes } : {}), ...(marks.length > 0 ? { marks } : {}) };
}

// Of a Vega specification.
export function namedAxes<T extends object>(spec: T): T {
  return named(spec as Part, bandScales(spec as Part, new Set())) as T;
}
