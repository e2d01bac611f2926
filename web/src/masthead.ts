// The head of the page: title, model, data, and the figures that stand for all of it.
import { h } from "./dom";
import { common, different, facts } from "./facts";
import type { KeyFigure, Payload, Run } from "./payload";

// What several runs share is said once; more than three different ones are told at the end only, but for what they
// have in common.
function provenance(runs: Run[], part: "model" | "data"): HTMLElement | null {
  const found = different(runs, part);
  const shown = found.length > 3 ? [common(found)] : found;
  if (shown.every((pairs) => pairs.length === 0)) return null;
  return h("section", {}, h("h2", { class: "label" }, part), ...shown.map(facts));
}

export function masthead(payload: Payload, isReport: boolean): HTMLElement {
  const methods = [...new Set(payload.runs.map((run) => run.method))];
  return h(
    "header",
    { class: "masthead" },
    h("p", { class: "kicker" }, isReport ? "Model report" : methods.join(" · ")),
    h("h1", {}, payload.title),
    h("div", { class: "provenance" }, provenance(payload.runs, "model"), provenance(payload.runs, "data")),
    isReport && isFew(payload.figures) && figureList(payload.figures),
  );
}

const fewFigures = 8;
const isFew = (figures: KeyFigure[]): boolean => figures.length > 0 && figures.length <= fewFigures;

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
    { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Key figures" },
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

// A report has few of them in its head.
export function keyFigures({ figures }: Payload, isReport: boolean): HTMLElement | null {
  if (figures.length === 0 || (isReport && isFew(figures))) return null;
  return h(
    "section",
    { class: "key", id: "key", "aria-labelledby": "key-title" },
    h("h2", { id: "key-title" }, "Key figures"),
    isFew(figures) ? figureList(figures) : figureTable(figures),
  );
}
