// Draws one chart into its place: when it comes near the screen, again when the theme changes, and as wide as
// its column. Expressions are interpreted (ast), never compiled, so the page's policy can forbid eval.
import embed, { type Result } from "vega-embed";
import type { TopLevelSpec } from "vega-lite";

import { chartConfig, currentTheme, onTheme, paper, type Theme } from "./theme";
import type { Chart } from "./payload";

type Settings = Record<string, unknown>;

function merged(base: Settings, over: Settings): Settings {
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

// Long titles in lines, so that they do not decide how wide a chart must be.
function lines(title: string, letters: number): string | string[] {
  const found: string[] = [];
  for (const word of title.split(" ")) {
    const last = found.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found.length > 1 ? found : title;
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
    else if (key === "tickCount") result[key] = Math.min(value as number, 4);
    else if (key === "legend" && value?.["columns"]) result[key] = narrowLegend(part as Settings);
    else result[key] = narrowed(value);
  }
  return result;
}

interface Arrangement {
  spec: Settings;
  columns: number;
  narrow: boolean;
}

// Charts side by side stand one above the other where there is no room; each then needs its own labels.
function arranged(whole: Settings, width: number): Arrangement {
  const small = width < narrow;
  const spec = small ? (narrowed(whole) as Settings) : whole;
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

export class ChartView {
  private result: Result | null = null;
  private drawnWidth = 0;
  private shown: Arrangement | null = null;
  private drawing: Promise<void> | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly chart: Chart,
  ) {
    onTheme(() => {
      if (this.result) void this.redraw();
    });
    new ResizeObserver(() => void this.fit()).observe(place);
  }

  draw(): Promise<void> {
    this.drawing ??= this.redraw();
    return this.drawing;
  }

  async save(format: "png" | "svg", name: string): Promise<void> {
    await this.draw();
    if (!this.result) return;
    const { view } = this.result;
    const before = view.background();
    view.background(paper(currentTheme()));
    const address = await view.toImageURL(format, 2);
    view.background(before);
    await view.runAsync();
    const link = document.createElement("a");
    link.href = address;
    link.download = `${name}.${format}`;
    link.click();
  }

  private async redraw(theme: Theme = currentTheme()): Promise<void> {
    this.shown = arranged(this.chart.spec as unknown as Settings, this.place.clientWidth);
    const { spec } = this.shown;
    const small = this.shown.narrow ? { legend: { layout: { top: { direction: "vertical" } } } } : {};
    const config = merged(merged(spec["config"] as Settings, chartConfig(theme) as unknown as Settings), small);
    this.result?.finalize();
    this.place.replaceChildren();
    try {
      this.result = await embed(this.place, { ...spec, config } as unknown as TopLevelSpec, {
        mode: "vega-lite",
        ast: true,
        actions: false,
        defaultStyle: false,
        tooltip: { disableDefaultStyle: true, theme: "sightglass" },
        renderer: this.chart.canvas ? "canvas" : "svg",
      });
      // The place around it has the description; the hundreds of marks inside would say nothing.
      this.place.querySelector("svg, canvas")?.setAttribute("aria-hidden", "true");
      this.drawnWidth = 0;
      await this.fit();
      this.place.dataset["state"] = "drawn";
    } catch (error) {
      // The description and the table beside it still say what there is to see.
      this.place.dataset["state"] = "failed";
      this.place.textContent = "This chart could not be drawn.";
      console.error(error);
    }
  }

  // The chart's outer width is its plot plus axes and labels, known only once drawn; views one above the other
  // share one width.
  private async fit(): Promise<void> {
    const wanted = Math.floor(this.place.clientWidth);
    if (!this.result || wanted === 0 || Math.abs(wanted - this.drawnWidth) < 2) return;
    const next = arranged(this.chart.spec as unknown as Settings, wanted);
    if (next.columns !== this.shown?.columns || next.narrow !== this.shown.narrow) return this.redraw();
    this.drawnWidth = wanted;
    const { view } = this.result;
    // Views side by side have one width between them, under a name of its own.
    const signal = next.columns > 1 ? "childWidth" : "width";
    for (let round = 0; round < 3; ++round) {
      const outer = this.place.querySelector("svg, canvas")?.getBoundingClientRect().width ?? 0;
      const spare = wanted - outer;
      if (spare >= 0 && spare < 2 * next.columns) return;
      const width = (view.signal(signal) as number) + spare / next.columns;
      await view.signal(signal, Math.max(next.columns > 1 ? 60 : 120, Math.floor(width))).resize().runAsync();
    }
  }
}

// Charts near the screen first, the others while nothing else happens, so that printing finds them all.
export function scheduleCharts(views: Map<Element, ChartView>): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        near.unobserve(entry.target);
        void views.get(entry.target)?.draw();
      }
    },
    { rootMargin: "600px 0px" },
  );
  for (const place of views.keys()) near.observe(place);
  const waiting = [...views.values()].slice(0, 60);
  const idle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 50));
  const next = async (): Promise<void> => {
    await waiting.shift()?.draw();
    if (waiting.length > 0) idle(() => void next());
  };
  idle(() => void next());
  addEventListener("beforeprint", () => {
    for (const view of views.values()) void view.draw();
  });
}
