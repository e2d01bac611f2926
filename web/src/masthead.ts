// The head of the page: its title and, of a report, what to see first; else model and data.
import { h } from "./dom";
import { facts, joined } from "./facts";
import { firstScreen } from "./first_screen";
import type { KeyFigure, Payload, Run } from "./payload";

// What several runs share is said once; which run has which of several values is told at the end.
function provenance(runs: Run[], part: "model" | "data", heading: "h2" | "h3"): HTMLElement | null {
  const pairs = joined(runs.map((run) => run[part]));
  return pairs.length === 0 ? null : h("section", {}, h(heading, { class: "label" }, part), facts(pairs));
}

export function provenanceOf(runs: Run[], heading: "h2" | "h3" = "h2"): HTMLElement {
  return h("div", { class: "provenance" }, provenance(runs, "model", heading), provenance(runs, "data", heading));
}

// Whoever sees only a part of the rows must know from the start.
function about(runs: Run[]): string {
  const data = joined(runs.map((run) => run.data));
  const said = (name: string): string => data.find(([known]) => known === name)?.[1] ?? "";
  const all = said("Rows available");
  const rows = said("Rows") && (all ? `${said("Rows")} of ${all}` : said("Rows"));
  const where = said("Only rows where");
  return [said("File"), rows && `${rows} rows`, where && `only rows where ${where}`].filter((words) => words !== "").join(" · ");
}

// In a notebook's cell there is no room for what its writer knows.
function behindTheChart(runs: Run[]): HTMLElement {
  return window.top === window ? provenanceOf(runs) : h("details", {}, h("summary", {}, "Model and data"), provenanceOf(runs));
}

export function masthead(payload: Payload, known: Set<number>, isReport: boolean): HTMLElement {
  const methods = [...new Set(payload.runs.map((run) => run.method))];
  const kind = isReport && methods.length > 1 ? "Model report" : methods.join(" · ");
  const data = isReport ? about(payload.runs) : "";
  return h(
    "header",
    { class: isReport ? "masthead brief" : "masthead" },
    h("p", { class: "kicker" }, kind, data !== "" && h("span", { class: "about" }, data)),
    h("h1", {}, payload.title),
    isReport ? firstScreen(payload, known) : behindTheChart(payload.runs),
  );
}

const fewFigures = 8;
const mostColumns = 12;

// Many figures are a table, few stand out. Of several classes (or groups) each figure is a row, each class a column. What
// several results say of the same class has a row for each.
function figureTable(figures: KeyFigure[]): HTMLElement {
  const whose = [...new Set(figures.map((figure) => figure.about))].sort((a, b) => Number(a !== "") - Number(b !== ""));
  const side = whose.length <= mostColumns;
  const nameOf = ({ name, about }: KeyFigure): string => (side || about === "" ? name : `${name} · ${about}`);
  const rows = new Map<string, KeyFigure[]>();
  for (const figure of figures) {
    const key = (copy: number): string => JSON.stringify([figure.method, nameOf(figure), figure.unit, figure.meaning, copy]);
    let copy = 0;
    while (rows.get(key(copy))?.some((other) => !side || other.about === figure.about)) copy++;
    rows.set(key(copy), [...(rows.get(key(copy)) ?? []), figure]);
  }
  const value = (same: KeyFigure[], about: string): string => same.find((figure) => figure.about === about)?.value ?? "–";
  const body = h("tbody");
  for (const same of rows.values()) {
    const about = [same[0]!.unit, same[0]!.meaning].filter((words) => words !== "").join(" · ");
    const values = side ? whose.map((about) => value(same, about)) : [same[0]!.value];
    const name = h("th", { scope: "row" }, nameOf(same[0]!), about !== "" && h("span", { class: "about" }, about));
    body.append(h("tr", {}, name, ...values.map((text) => h("td", { class: "number" }, text))));
  }
  const titles = side && whose.length > 1 ? whose.map((about) => about || "All") : ["Value"];
  const head = ["Figure", ...titles].map((name) => h("th", { scope: "col" }, name));
  return h(
    "div",
    { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Table: key figures" },
    h("table", { class: "many-figures" }, h("thead", {}, h("tr", {}, ...head)), body),
  );
}

function figureList(figures: KeyFigure[]): HTMLElement {
  const list = h("dl", { class: "figures" });
  for (const figure of figures) {
    const about = [figure.about, figure.unit].filter((words) => words !== "").join(" · ");
    list.append(
      h(
        "div",
        {},
        h("dt", {}, figure.name, about !== "" && h("span", { class: "about" }, about)),
        h("dd", { class: "value number" }, figure.value),
        figure.meaning !== "" && h("dd", { class: "meaning" }, figure.meaning),
      ),
    );
  }
  return list;
}

export function keyFigures(figures: KeyFigure[]): HTMLElement | null {
  if (figures.length === 0) return null;
  return figures.length <= fewFigures ? figureList(figures) : figureTable(figures);
}

// On a page of few results they are what it is about.
export function keyPart(payload: Payload): HTMLElement | null {
  const figures = keyFigures(payload.figures);
  return figures && h("section", { class: "key", id: "key", "aria-labelledby": "key-title" }, h("h2", { id: "key-title" }, "Key figures"), figures);
}
