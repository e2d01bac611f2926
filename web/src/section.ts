// All charts about one feature, pair, row, or about the model as a whole.
import { caveatsBeside } from "./caveats";
import { ChartView } from "./chart";
import { enqueue, withdraw } from "./chart_queue";
import { controls } from "./controls";
import { dataTable } from "./data_table";
import { h } from "./dom";
import { go } from "./journey";
import type { Chart, Payload, Section } from "./payload";

export interface SectionView {
  element: HTMLElement;
  heading: HTMLElement;
  end: () => void;
}

type Level = 2 | 3; // of the section's heading

const told = new Set<string>();

// In full the first time, later at hand: charts of one kind are read alike.
function reading(text: string): HTMLElement | null {
  if (text === "") return null;
  const words = h("p", { class: "muted" }, text);
  if (told.has(text)) return h("details", { class: "reading-aid" }, h("summary", {}, "How to read this"), words);
  told.add(text);
  return words;
}

class Figure {
  readonly element: HTMLElement;
  private readonly view: ChartView;
  private readonly endings: (() => void)[] = [];

  constructor(chart: Chart, section: Section, level: Level, beside: (HTMLElement | null)[]) {
    const place = h("div", { class: "chart", role: "img", "aria-label": chart.description });
    this.view = new ChartView(place, chart, go);
    enqueue(this.view);
    const set = controls(chart, this.view);
    if (set) this.endings.push(set.end);
    const about = chart.about === "" ? chart.method : `${chart.method} · ${chart.about}`;
    const name = `${about} ${section.title}`.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
    this.element = h(
      "figure",
      { class: chart.wide ? "wide" : "" },
      h("div", { class: "plot" }, h(level === 2 ? "h3" : "h4", {}, about), place, set?.element),
      h(
        "figcaption",
        {},
        chart.chips.length > 0 && h("ul", { class: "chips" }, ...chart.chips.map((chip) => h("li", {}, chip))),
        h("p", { class: "description" }, chart.description),
        reading(chart.reading),
        h("div", { class: "tools" }, h("span", { class: "label" }, "Save"), this.save("svg", name), this.save("png", name)),
      ),
      beside.some(Boolean) && h("div", { class: "beside" }, ...beside),
      dataTable(chart.table, `${about}, ${section.title}`),
    );
  }

  end(): void {
    withdraw(this.view);
    this.view.end();
    for (const ending of this.endings) ending();
  }

  private save(format: "svg" | "png", name: string): HTMLElement {
    const label = format.toUpperCase();
    const save = (): void => void this.view.save(format, name);
    return h("button", { type: "button", class: "quiet", "aria-label": `Save chart as ${label}`, click: save }, label);
  }
}

export function sectionView(index: number, payload: Payload, level: Level): SectionView {
  const section = payload.sections[index]!;
  const caveats = payload.caveats.filter((caveat) => caveat.section === index);
  const figures = section.charts.map((chart, i) => new Figure(chart, section, level, i === 0 ? caveatsBeside(caveats) : []));
  const title = `feature-${index}-title`;
  // Focus comes here when a link leads to the section.
  const heading = h(level === 2 ? "h2" : "h3", { id: title, tabindex: -1 }, section.title);
  const element = h(
    "section",
    { class: `feature ${section.kind}`, id: `feature-${index}`, "aria-labelledby": title },
    h("div", { class: "feature-head" }, heading),
    ...figures.map((figure) => figure.element),
  );
  return { element, heading, end: () => figures.forEach((figure) => figure.end()) };
}
