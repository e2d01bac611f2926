// The head of the page: title, model, data, and the figures that stand for all of it.
import { h } from "./dom";
import { facts, joined } from "./facts";
import type { KeyFigure, Payload, Run } from "./payload";

// What several runs share is said once; which run has which of several values is told at the end.
function provenance(runs: Run[], part: "model" | "data"): HTMLElement | null {
  const pairs = joined(runs.map((run) => run[part]));
  return pairs.length === 0 ? null : h("section", {}, h("h2", { class: "label" }, part), facts(pairs));
}

export function masthead(payload: Payload, isReport: boolean): HTMLElement {
  const head = headFigures(payload.figures);
  const methods = [...new Set(payload.runs.map((run) => run.method))];
  return h(
    "header",
    { class: "masthead" },
    h("p", { class: "kicker" }, isReport ? "Model report" : methods.join(" · ")),
    h("h1", {}, payload.title),
    h("div", { class: "provenance" }, provenance(payload.runs, "model"), provenance(payload.runs, "data")),
    isReport && head.length > 0 && figureList(head),
  );
}

const fewFigures = 8;
// How well the model predicts comes before all that it is said to do. A figure for each of many classes would bury it.
function headFigures(figures: KeyFigure[]): KeyFigure[] {
  const performance = figures.filter((figure) => figure.method === "performance");
  return performance.length <= fewFigures ? performance : performance.filter((figure) => figure.about === "").slice(0, fewFigures);
}

// Many figures (several for each feature) are a table, few stand out.
function figureTable(figures: KeyFigure[]): HTMLElement {
  const body = h("tbody");
  for (const figure of figures) {
    const name = figure.about === "" ? figure.name : `${figure.name} · ${figure.about}`;
    body.append(
      h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, figure.value), h("td", {}, figure.meaning)),
    );
  }
  const head = ["Figure", "Value", "Meaning"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "div",
    { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Table: key figures" },
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), body),
  );
}

function figureList(figures: KeyFigure[]): HTMLElement {
  const list = h("dl", { class: "figures" });
  for (const figure of figures) {
    list.append(
      h(
        "div",
        {},
        h("dt", {}, figure.name, figure.about !== "" && h("span", { class: "about" }, figure.about)),
        h("dd", { class: "value number" }, figure.value),
        figure.meaning !== "" && h("dd", { class: "meaning" }, figure.meaning),
      ),
    );
  }
  return list;
}

// Those that are not in the head of a report.
export function keyFigures(payload: Payload, isReport: boolean): HTMLElement | null {
  const told = new Set(isReport ? headFigures(payload.figures) : []);
  const figures = payload.figures.filter((figure) => !told.has(figure));
  if (figures.length === 0) return null;
  return h(
    "section",
    { class: "key", id: "key", "aria-labelledby": "key-title" },
    h("h2", { id: "key-title" }, "Key figures"),
    figures.length <= fewFigures ? figureList(figures) : figureTable(figures),
  );
}
