// Under a chart: what to show in it.
import type { ChartView } from "./chart";
import { h } from "./dom";
import type { Chart, Choice, Toggle } from "./payload";
import { accepts, choose, isShared, onChosen, type Signal } from "./signals";

export interface Controls {
  element: HTMLElement;
  end: () => void;
}

function checkbox(toggle: Toggle, view: ChartView, set: (signal: string, value: Signal) => void): HTMLInputElement {
  const input = h("input", { type: "checkbox", "data-signal": toggle.signal, title: toggle.hint });
  input.checked = view.value(toggle.signal) === true;
  input.addEventListener("change", () => set(toggle.signal, input.checked));
  return input;
}

function list(choice: Choice, view: ChartView, set: (signal: string, value: Signal) => void): HTMLSelectElement {
  const options = choice.options.map((name) => h("option", { value: name }, name));
  const select = h("select", { "data-signal": choice.signal }, ...options);
  select.value = String(view.value(choice.signal));
  select.addEventListener("change", () => set(choice.signal, select.value));
  return select;
}

export function controls(chart: Chart, view: ChartView): Controls | null {
  if (chart.toggles.length === 0 && chart.choices.length === 0) return null;
  const set = (signal: string, value: Signal): void => {
    if (isShared(signal)) choose(signal, value);
    else void view.set(signal, value);
  };
  const inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  const shared = [...chart.toggles, ...chart.choices].every(({ signal }) => isShared(signal));
  const element = h("fieldset", { class: "controls" }, h("legend", {}, shared ? "Show in all charts" : "Show"));
  for (const choice of chart.choices) {
    const input = list(choice, view, set);
    inputs.set(choice.signal, input);
    element.append(h("label", { class: "choice" }, h("span", {}, choice.label), input));
  }
  for (const toggle of chart.toggles) {
    const input = checkbox(toggle, view, set);
    inputs.set(toggle.signal, input);
    element.append(h("label", { class: "toggle", title: toggle.hint }, input, h("span", {}, toggle.label)));
  }
  const end = onChosen((signal, value) => {
    const input = inputs.get(signal);
    if (!input || !accepts(chart, signal, value)) return;
    if (input instanceof HTMLInputElement) input.checked = value === true;
    else input.value = String(value);
  });
  return { element, end };
}
