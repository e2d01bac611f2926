// All charts about one feature, pair, row, or about the model as a whole.
import { asidesBeside } from "./caveats";
import { ChartView } from "./chart";
import { enqueue, withdraw } from "./chart_queue";
import { controls, type Controls } from "./controls";
import { dataTable, levelSearch } from "./data_table";
import { breakable, h } from "./dom";
import { spark } from "./glance";
import { go, offer } from "./journey";
import { markedPieces } from "./marked";
import type { Chart, Payload, Section } from "./payload";
import { idOf } from "./places";
import { chosenValue, onChosen } from "./signals";

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

function chipList(chips: string[]): HTMLElement {
  return h("ul", { class: "chips", hidden: chips.length === 0 }, ...chips.map((chip) => h("li", {}, chip)));
}

class Figure {
  readonly element = h("figure");
  private view: ChartView | null = null;
  private set: Controls | null = null;
  private readonly reading: HTMLElement | null;
  private readonly endings: (() => void)[] = [];

  constructor(
    private readonly chart: Chart,
    private readonly section: Section,
    private readonly level: Level,
    private readonly beside: (HTMLElement | null)[],
  ) {
    this.reading = reading(chart.reading);
    this.element.className = chart.wide ? "wide" : "";
    // Before the chart itself listens: what is replaced must not be told any more.
    if (chart.versions.length > 0) {
      this.endings.push(onChosen((signal, value) => {
        const version = signal === "output" ? this.versionOf(value) : undefined;
        if (version) this.change(version);
      }));
    }
    this.show(this.versionOf(chosenValue("output")) ?? chart);
    if (chart.words.length > 0) {
      this.tell();
      // After the chart itself, which then knows what it shows.
      this.endings.push(onChosen(() => this.tell()));
    }
  }

  // One line until it is opened.
  folded(): HTMLElement {
    const { method, about } = this.chart;
    return h("details", { class: "fold" }, h("summary", {}, h("h4", {}, [method, about].filter((word) => word !== "").join(" · "))), this.element);
  }

  end(): void {
    this.leave();
    for (const ending of this.endings) ending();
  }

  private versionOf(output: unknown): Chart | undefined {
    return [this.chart, ...this.chart.versions].find((version) => version.output === output);
  }

  private show(chart: Chart): void {
    const { section, level } = this;
    const place = h("div", { class: "chart", role: "img", "aria-label": chart.description });
    this.view = new ChartView(place, chart, go);
    enqueue(this.view);
    this.set = controls(chart, this.view);
    const of = chart.choices.find((choice) => choice.signal === "output")?.label.toLowerCase() ?? "";
    const named = chart.output === "" || chart.output.toLowerCase().startsWith(of);
    const output = named ? chart.output : `${of} ${chart.output}`;
    const about = [chart.method, chart.about, output].filter((word) => word !== "").join(" · ");
    const name = `${about} ${section.title}`.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
    const children: (HTMLElement | false | null)[] = [
      // The section may be called what its only chart is.
      h("div", { class: "plot" }, about !== section.title && h(level === 2 ? "h3" : "h4", {}, about), chart.above && markedPieces(chart.above), place, this.set?.element, levelSearch(chart.table, `${about}, ${section.title}`)),
      h(
        "figcaption",
        {},
        chipList(chart.chips),
        h("p", { class: "description" }, chart.description),
        this.reading,
        h("div", { class: "tools" }, h("span", { class: "label" }, "Save"), this.save("svg", name, about), this.save("png", name, about)),
      ),
      this.beside.some(Boolean) && h("div", { class: "beside" }, ...this.beside),
      dataTable(chart.table, `${about}, ${section.title}`),
    ];
    this.element.replaceChildren(...children.filter((child) => child instanceof HTMLElement));
  }

  // The chart changes by its signals; what is said about it goes along.
  private tell(): void {
    const output = this.view?.value("output") ?? "";
    const words = this.chart.words.find((one) => one.output === output);
    if (!words) return;
    const lines = words.lines.filter(({ signal }) => this.view?.value(signal) === true);
    const text = [words.description, ...lines.map((line) => line.text)].join(" ");
    const chips = [...words.chips, ...lines.map((line) => line.chip)].filter((chip) => chip !== "");
    this.element.querySelector(".chart")?.setAttribute("aria-label", text);
    this.element.querySelector("figcaption .chips")?.replaceWith(chipList(chips));
    const description = this.element.querySelector("figcaption .description");
    description?.replaceChildren(...breakable(text));
  }

  // The same picture of another output: the reader's place, the list in hand and an open table stay.
  private change(chart: Chart): void {
    const choosing = this.element.contains(document.activeElement);
    const before = this.element.querySelector<HTMLElement>(".chart")?.offsetHeight ?? 0;
    const open = this.element.querySelector<HTMLDetailsElement>(":scope > details")?.open ?? false;
    this.leave();
    this.show(chart);
    const place = this.element.querySelector<HTMLElement>(".chart");
    if (place && before > 0) place.style.minHeight = `${before}px`;
    const table = this.element.querySelector<HTMLDetailsElement>(":scope > details");
    if (table) table.open = open;
    if (choosing) this.element.querySelector<HTMLElement>("[data-signal=output]")?.focus({ preventScroll: true });
  }

  private leave(): void {
    if (this.view) withdraw(this.view);
    this.view?.end();
    this.set?.end();
  }

  private save(format: "svg" | "png", name: string, about: string): HTMLElement {
    const label = format.toUpperCase();
    const save = (): void => void this.view?.save(format, name, this.section.title, about);
    return h("button", { type: "button", class: "quiet", "aria-label": `Save chart as ${label}`, click: save }, label);
  }
}

function figuresOf(index: number, payload: Payload, level: Level): Figure[] {
  const section = payload.sections[index]!;
  const asides = payload.asides.filter((aside) => aside.section === index);
  return section.charts.map((chart, i) => new Figure(chart, section, level, i === 0 ? asidesBeside(asides) : []));
}

// Where others are to be found below, its first picture is enough to begin with.
export function sectionView(index: number, payload: Payload, level: Level, brief = false): SectionView {
  const section = payload.sections[index]!;
  const figures = figuresOf(index, payload, level);
  const id = idOf(index);
  const title = `title-of-${id}`;
  // Focus comes here when a link leads to the section.
  const heading = h(level === 2 ? "h2" : "h3", { id: title, tabindex: -1 }, section.title);
  const element = h(
    "section",
    { class: `feature ${section.kind}`, id, "data-place": index, "aria-labelledby": title },
    h("div", { class: "feature-head" }, heading),
    ...figures.map((figure, i) => (brief && i > 0 ? figure.folded() : figure.element)),
  );
  return { element, heading, end: () => figures.forEach((figure) => figure.end()) };
}

// The same section, of which one line is seen until somebody opens it: its title and, of a feature, its effect at a glance.
export function foldedSection(index: number, payload: Payload): HTMLElement {
  const section = payload.sections[index]!;
  const id = idOf(index);
  const glance = payload.glance.find((one) => one.section === index);
  const heading = h("h3", { id: `title-of-${id}`, tabindex: -1 }, section.title);
  const unit = glance && glance.unit !== "" ? ` ${glance.unit}` : "";
  const element = h(
    "details",
    { class: `feature fold ${section.kind}`, id, "data-place": index },
    h(
      "summary",
      {},
      heading,
      glance && h("span", { class: "at-a-glance" }, spark(glance), h("span", { class: "number" }, `${glance.range}${unit}`), h("span", { class: "muted" }, glance.shape)),
    ),
    ...figuresOf(index, payload, 3).map((figure) => figure.element),
  );
  offer(index, () => (element.open = true));
  return element;
}
