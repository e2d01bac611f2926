// Draws one chart into its place: when it comes near the screen, again when the theme changes, and as wide as
// its column. Expressions are interpreted (ast), never compiled, so the page's policy can forbid eval.
import { logger, View, Warn } from "vega";
import embed, { type Result } from "vega-embed";
import type { TopLevelSpec } from "vega-lite";

import { namedAxes } from "./axis_names";
import { expectedHeight, merged, ordinary, shaped, type Settings, type Shape } from "./chart_shape";
import type { Chart } from "./payload";
import { accepts, onChosen, startOf, withSignals, type Signal } from "./signals";
import { chartConfig, currentTheme, onTheme, paper, type Theme } from "./theme";

// The section that a mark leads to.
function sectionOf(item: unknown): number | null {
  const section = (item as { datum?: { section?: unknown } } | null | undefined)?.datum?.section;
  return typeof section === "number" && Number.isInteger(section) && section >= 0 ? section : null;
}

// A line that is switched off, or that another class has, has no extent; that is no reason to warn.
class ToggledView extends View {
  constructor(...[runtime, options]: ConstructorParameters<typeof View>) {
    const words = logger(Warn);
    const warn = (...parts: readonly unknown[]): typeof words =>
      String(parts[0]).startsWith("Infinite extent") ? words : words.warn(...parts);
    super(runtime, { ...options, logger: { ...words, warn } });
  }
}

export class ChartView {
  private result: Result | null = null;
  private drawnWidth = 0;
  private shape: Shape | null = null;
  private drawing: Promise<void> | null = null;
  private drawnTheme: Theme | null = null;
  private last: Promise<void> = Promise.resolve();
  private gone = false;
  private readonly signals: Map<string, Signal>;
  private readonly endings: (() => void)[] = [];

  constructor(
    readonly place: HTMLElement,
    private readonly chart: Chart,
    private readonly lead: (section: number) => void,
  ) {
    this.signals = startOf(chart);
    place.style.minHeight = `${expectedHeight(this.spec)}px`;
    const sizes = new ResizeObserver(() => void this.inTurn(() => this.fit()));
    sizes.observe(place);
    this.endings.push(
      () => sizes.disconnect(),
      onTheme(() => {
        if (this.drawing) void this.inTurn(() => this.dress(currentTheme()));
      }),
      onChosen((signal, value) => {
        if (accepts(chart, signal, value)) void this.set(signal, value);
      }),
    );
  }

  draw(): Promise<void> {
    this.drawing ??= this.inTurn(() => this.redraw());
    return this.drawing;
  }

  drawAs(theme: Theme): Promise<void> {
    this.drawing = this.inTurn(() => this.dress(theme));
    return this.drawing;
  }

  value(signal: string): Signal | undefined {
    return this.signals.get(signal);
  }

  async set(signal: string, value: Signal): Promise<void> {
    if (this.signals.get(signal) === value) return;
    this.signals.set(signal, value);
    await this.inTurn(async () => {
      if (!this.result) return;
      await this.result.view.signal(signal, value).resize().runAsync();
      // Labels and legends may have become wider.
      this.drawnWidth = 0;
      await this.fit();
    });
  }

  // The picture travels alone: it has a title, and the width it was made for.
  async save(format: "png" | "svg", name: string, title: string, below: string): Promise<void> {
    const theme = currentTheme();
    // Of one output, as `below` says already, or of the one that is chosen.
    const output = this.chart.output === "" ? this.signals.get("output") : undefined;
    const told = output === undefined ? below : `${below} · ${String(output)}`;
    const text = { text: ordinary(title), subtitle: told, anchor: "start", limit: 560, offset: 12 };
    const spec = { ...withSignals(this.spec, this.signals), title: text, background: paper(theme) };
    const { view, finalize } = await this.drawn(document.createElement("div"), spec, theme);
    const link = document.createElement("a");
    link.href = await view.toImageURL(format, 2);
    link.download = `${name}.${format}`;
    link.click();
    finalize();
  }

  end(): void {
    this.gone = true;
    for (const ending of this.endings) ending();
    this.result?.finalize();
    this.result = null;
  }

  // One after the other: a chart that is being drawn has no view to change, and two at once would share a place.
  private inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.last.then(() => (this.gone ? undefined : step()));
    this.last = done.catch(() => undefined);
    return done;
  }

  private get spec(): Settings {
    return this.chart.spec as unknown as Settings;
  }

  private async dress(theme: Theme): Promise<void> {
    if (theme !== this.drawnTheme) await this.redraw(theme);
  }

  private drawn(place: HTMLElement, spec: Settings, theme: Theme): Promise<Result> {
    const config = merged((spec["config"] ?? {}) as Settings, chartConfig(theme) as unknown as Settings);
    return embed(place, { ...spec, config } as unknown as TopLevelSpec, {
      mode: "vega-lite",
      ast: true,
      patch: namedAxes,
      actions: false,
      defaultStyle: false,
      tooltip: { disableDefaultStyle: true, theme: "sightglass" },
      renderer: this.chart.canvas ? "canvas" : "svg",
      viewClass: this.chart.toggles.length + this.chart.choices.length > 0 ? ToggledView : View,
    });
  }

  private async redraw(theme: Theme = currentTheme()): Promise<void> {
    this.drawnTheme = theme;
    this.shape = shaped(this.spec, this.place.clientWidth);
    const spec = withSignals(this.shape.spec, this.signals);
    this.result?.finalize();
    this.result = null;
    this.place.replaceChildren();
    try {
      const result = await this.drawn(this.place, spec, theme);
      if (this.gone) {
        result.finalize();
        return;
      }
      this.result = result;
      this.listen(result);
      // The place around it has the description; the hundreds of marks inside would say nothing.
      this.place.querySelector("svg, canvas")?.setAttribute("aria-hidden", "true");
      await this.widen(this.shape, Math.floor(this.place.clientWidth));
      this.place.style.minHeight = "";
      this.place.dataset["state"] = "drawn";
    } catch (error) {
      // The description and the table beside it still say what there is to see.
      this.place.style.minHeight = "";
      this.place.dataset["state"] = "failed";
      this.place.textContent = "This chart could not be drawn.";
      console.error(error);
    }
  }

  private listen({ view }: Result): void {
    view.addEventListener("click", (_, item) => {
      const section = sectionOf(item);
      if (section !== null) this.lead(section);
    });
    view.addEventListener("mousemove", (_, item) => {
      this.place.classList.toggle("leads", sectionOf(item) !== null);
    });
  }

  private async fit(): Promise<void> {
    const wanted = Math.floor(this.place.clientWidth);
    if (!this.result || wanted === 0 || Math.abs(wanted - this.drawnWidth) < 2) return;
    const next = shaped(this.spec, wanted);
    if (next.columns !== this.shape?.columns || next.narrow !== this.shape.narrow) await this.redraw(this.drawnTheme ?? currentTheme());
    else await this.widen(next, wanted);
  }

  // The chart's outer width is its plot plus axes and labels, known only once drawn; views one above the other
  // share one width.
  private async widen({ columns }: Shape, wanted: number): Promise<void> {
    this.drawnWidth = wanted;
    // Views side by side have one width between them, under a name of its own.
    const signal = columns > 1 ? "childWidth" : "width";
    for (let round = 0; round < 3 && wanted > 0 && this.result; ++round) {
      const { view } = this.result;
      const outer = this.place.querySelector("svg, canvas")?.getBoundingClientRect().width ?? 0;
      const spare = wanted - outer;
      if (spare >= 0 && spare < 2 * columns) return;
      const width = (view.signal(signal) as number) + spare / columns;
      await view.signal(signal, Math.max(columns > 1 ? 60 : 120, Math.floor(width))).resize().runAsync();
    }
  }
}
