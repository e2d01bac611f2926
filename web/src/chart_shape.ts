// How a chart's spec fits the room it has: beside each other or one above the other, on a phone with shorter words.
export type Settings = Record<string, unknown>;

export function merged(base: Settings, over: Settings): Settings {
  const result: Settings = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = result[key];
    const nested = (x: unknown): x is Settings => typeof x === "object" && x !== null && !Array.isArray(x);
    result[key] = nested(old) && nested(value) ? merged(old, value) : value;
  }
  return result;
}

const roomForOne = 150; // of charts side by side, each
const narrow = 480;

// Vega keeps titles as properties of plain objects, where "constructor" means something else; an invisible word joiner
// makes it an ordinary word.
export function ordinary(word: string): string {
  return word in {} ? `\u2060${word}` : word;
}

// Long titles in lines, so that they do not decide how wide a chart must be.
function lines(title: string, letters: number): string | string[] {
  const found: string[] = [];
  for (const word of title.split(" ")) {
    const last = found.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found.length > 1 ? found.map(ordinary) : title;
}

// Entries of a legend one below the other, or two in a row if they are short.
function narrowLegend(channel: Settings): Settings {
  const names = (channel["scale"] as { domain?: unknown[] } | undefined)?.domain ?? [];
  const short = names.every((name) => String(name).length <= 12);
  return { ...(channel["legend"] as Settings), columns: short ? 2 : 1, labelLimit: short ? 90 : 190 };
}

// What a chart keeps of itself on a phone: shorter labels, titles in lines, legends in few columns.
function narrowed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(narrowed);
  if (typeof part !== "object" || part === null) return part;
  const result: Settings = {};
  for (const [key, value] of Object.entries(part)) {
    if (key === "values" || key === "tooltip") result[key] = value; // data, and tables of their own
    else if (key === "title" && typeof value === "string") result[key] = lines(value, 34);
    else if (key === "labelLimit") result[key] = Math.min(value as number, 110);
    else if (key === "gradientLength") result[key] = Math.min(value as number, 180);
    // Upright names need the least room; where there is none even so, some are left out.
    else if (key === "labelAngle" && value !== 0) Object.assign(result, { labelOverlap: "greedy", labelAngle: -90 });
    else if (key === "tickCount") result[key] = Math.min(value as number, 4);
    else if (key === "legend" && value?.["columns"]) result[key] = narrowLegend(part as Settings);
    else result[key] = narrowed(value);
  }
  return result;
}

export interface Shape {
  spec: Settings;
  columns: number;
  narrow: boolean;
}

// A chart may bring another for narrow places; both are drawn the same way otherwise.
function forNarrow(whole: Settings): Settings {
  const { narrow: own } = (whole["usermeta"] ?? {}) as { narrow?: Settings };
  return own ? { $schema: whole["$schema"], background: whole["background"], config: whole["config"], ...own } : whole;
}

// Charts side by side stand one above the other where there is no room; each then needs its own labels.
export function shaped(whole: Settings, width: number): Shape {
  const small = width < narrow;
  const spec = small ? (narrowed(forNarrow(whole)) as Settings) : whole;
  // All in one row, or in rows of `columns`.
  const charts = (spec["hconcat"] ?? spec["concat"]) as Settings[] | undefined;
  if (!charts) return { spec, columns: 1, narrow: small };
  const columns = (spec["columns"] as number | undefined) ?? charts.length;
  if (width >= columns * roomForOne + 120) return { spec, columns, narrow: small };
  const { hconcat: _, concat: __, columns: ___, ...rest } = spec;
  const labelled = charts.map((chart) => {
    const encoding = chart["encoding"] as Settings;
    const y = encoding["y"] as Settings;
    const axis = { ...(y["axis"] as Settings), labels: true };
    return { ...chart, encoding: { ...encoding, y: { ...y, axis } } };
  });
  return { spec: { ...rest, vconcat: labelled }, columns: 1, narrow: small };
}

const roomForAxis = 60;

// About as high as the chart will be, so that the page does not jump when it is drawn.
export function expectedHeight(spec: Settings): number {
  const parts = (key: string): Settings[] => (Array.isArray(spec[key]) ? (spec[key] as Settings[]) : []);
  const above = parts("vconcat");
  if (above.length > 0) return above.reduce((sum, part) => sum + expectedHeight(part), 0);
  const beside = [...parts("hconcat"), ...parts("concat")];
  if (beside.length > 0) return Math.max(...beside.map(expectedHeight));
  const height = spec["height"];
  return (typeof height === "number" ? height : 240) + roomForAxis;
}
