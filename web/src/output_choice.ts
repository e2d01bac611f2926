// Which output (class) all charts show: one list for the whole page, where its charts have a choice.
import { h } from "./dom";
import type { Chart, Choice, Payload } from "./payload";
import { choose, onChosen } from "./signals";

export interface Outputs {
  label: string;
  options: string[];
  value: string | null; // null: charts start with different ones
}

const isOutput = (choice: Choice): boolean => choice.signal === "output";

// Of the charts that offer most; null where the page has no such choice, or one chart only.
export function outputsOf(payload: Payload): Outputs | null {
  // Each single row starts with what is predicted for it; all else with the class that the results name.
  const common = payload.sections.filter((section) => section.kind !== "row");
  const offers = (chart: Chart): boolean => chart.choices.some(isOutput);
  const any = common.some((section) => section.charts.some(offers));
  const charts: Chart[] = (any ? common : payload.sections).flatMap((section) => section.charts);
  const choices = charts.flatMap((chart) => chart.choices.filter(isOutput));
  if (payload.sections.flatMap((section) => section.charts).filter(offers).length < 2) return null;
  const most = choices.reduce((best, choice) => (choice.options.length > best.options.length ? choice : best));
  const same = choices.every((choice) => choice.value === most.value);
  return { label: most.label, options: most.options, value: same ? most.value : null };
}

export function outputList({ label, options, value }: Outputs): HTMLElement {
  const list = h("select", { "data-signal": "output" });
  // Of single rows alone there is no one output of the page until the reader chooses.
  const none = h("option", { value: "", disabled: true, hidden: true, selected: true }, "not chosen");
  list.append(...(value === null ? [none] : []), ...options.map((name, i) => h("option", { value: String(i) }, name)));
  const show = (output: string): void => {
    const place = options.indexOf(output);
    if (place >= 0) list.value = String(place);
  };
  if (value !== null) show(value);
  list.addEventListener("change", () => choose("output", options[Number(list.value)]!));
  onChosen((signal, chosen) => {
    if (signal === "output") show(String(chosen));
  });
  return h("label", { class: "output", title: "In all charts of the page" }, h("span", {}, label), list);
}
