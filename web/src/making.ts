// How the report was made: enough to repeat it, to read its words, and to know what it does not say.
import { allCautions } from "./caveats";
import { h } from "./dom";
import { common, facts, without } from "./facts";
import { keyFigures, provenanceOf } from "./masthead";
import type { Pair, Payload, Run } from "./payload";

const causality =
  "These explanations describe the model, not the world: they say how its predictions change with what it is given, " +
  "and not what would happen to the outcome if somebody changed a feature.";

async function copy(text: string, from: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not allowed here: marked, it is one key away.
    getSelection()?.selectAllChildren(from);
    return false;
  }
}

function repeatPart(command: string): HTMLElement {
  const code = h("code", {}, command);
  const status = h("span", { class: "muted", role: "status" });
  const button = h("button", { type: "button", class: "quiet" }, "Copy");
  button.addEventListener("click", () => {
    void copy(command, code).then((done) => {
      status.textContent = done ? "Copied" : "Marked: copy it with Ctrl+C";
    });
  });
  return h(
    "div",
    { class: "repeat" },
    h("h3", {}, "To repeat it"),
    h("pre", { tabindex: 0, role: "region", "aria-label": "Command" }, code),
    h("p", { class: "copy" }, button, status),
  );
}

function leftOutPart(items: string[]): HTMLElement | null {
  if (items.length === 0) return null;
  return h(
    "div",
    { class: "left-out" },
    h("h3", {}, "What was left out"),
    h("ul", {}, ...items.map((item) => h("li", {}, item))),
  );
}

// Runs of one method differ in few options: those are told under its name.
function methodItem(runs: Run[], told: Pair[]): HTMLElement {
  const item = h("div", { class: "method" }, h("h4", {}, runs[0]!.method));
  const seen = new Set<string>();
  for (const run of runs) {
    const own = without([...run.model, ...run.data, ...run.options], told);
    const key = JSON.stringify(own);
    if (own.length > 0 && !seen.has(key)) item.append(facts(own));
    seen.add(key);
  }
  return item;
}

function methodsPart({ runs, repeat }: Payload): HTMLElement | null {
  if (runs.length === 0) return null;
  const byMethod = new Map<string, Run[]>();
  for (const run of runs) byMethod.set(run.method, [...(byMethod.get(run.method) ?? []), run]);
  const told = [...common(runs.map((run) => run.model)), ...common(runs.map((run) => run.data))];
  const shared = runs.length > 1 ? common(runs.map((run) => run.options)) : [];
  const asked = repeat ? without(repeat.options, shared) : [];
  return h(
    "details",
    { class: "computed" },
    h("summary", {}, "Methods and options"),
    asked.length > 0 && h("div", { class: "method" }, h("h4", {}, "The report"), facts(asked)),
    shared.length > 0 && h("div", { class: "method" }, h("h4", {}, "All methods"), facts(shared)),
    ...[...byMethod.values()].map((list) => methodItem(list, [...told, ...shared])),
  );
}

function glossaryPart(glossary: Payload["glossary"]): HTMLElement | null {
  if (glossary.length === 0) return null;
  const list = h("dl", { class: "glossary-list" });
  for (const { term, meaning } of glossary) list.append(h("div", {}, h("dt", {}, term), h("dd", {}, meaning)));
  return h("details", { class: "glossary", id: "glossary" }, h("summary", {}, `Glossary: ${glossary.length} ${glossary.length === 1 ? "term" : "terms"} used on this page`), list);
}

function folded(title: string, className: string, content: HTMLElement | null): HTMLElement | null {
  return content && h("details", { class: className }, h("summary", {}, title), content);
}

// Of a report also what its first screen leaves out.
export function makingPart(payload: Payload, known: Set<number>, isReport: boolean): HTMLElement {
  return h(
    "section",
    { class: "making", id: "making", "aria-labelledby": "making-title" },
    h("h2", { id: "making-title" }, "How this was made"),
    h("p", { class: "causality" }, causality),
    payload.repeat && payload.repeat.command !== "" && repeatPart(payload.repeat.command),
    leftOutPart(payload.left_out),
    isReport && folded("Model and data", "about", provenanceOf(payload.runs, "h3")),
    isReport && allCautions(payload, known),
    isReport && folded("All figures", "key", keyFigures(payload.figures)),
    methodsPart(payload),
    glossaryPart(payload.glossary),
  );
}
