// What the reader chose to see in charts. Lines that are switched on or off, and the class that is shown, hold for all
// charts of the page, also for those that come later; other signals belong to their chart.
import type { Chart } from "./payload";

export type Signal = boolean | string;

const chosen = new Map<string, Signal>();
const listeners = new Set<(signal: string, value: Signal) => void>();

export function isShared(signal: string): boolean {
  return signal.startsWith("show_") || signal === "output";
}

export function choose(signal: string, value: Signal): void {
  if (chosen.get(signal) === value) return;
  chosen.set(signal, value);
  for (const listener of listeners) listener(signal, value);
}

export function chosenValue(signal: string): Signal | undefined {
  return chosen.get(signal);
}

// Returns how to stop listening.
export function onChosen(listener: (signal: string, value: Signal) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

// A chart takes a value if it has such a signal and, for a choice, such an option.
export function accepts(chart: Chart, signal: string, value: Signal): boolean {
  if (typeof value === "boolean") return chart.toggles.some((toggle) => toggle.signal === signal);
  return chart.choices.some((choice) => choice.signal === signal && choice.options.includes(value));
}

// What the signals of a chart begin with.
export function startOf(chart: Chart): Map<string, Signal> {
  const values = new Map<string, Signal>();
  for (const toggle of chart.toggles) values.set(toggle.signal, toggle.on);
  for (const choice of chart.choices) values.set(choice.signal, choice.value);
  for (const [signal, value] of chosen) if (accepts(chart, signal, value)) values.set(signal, value);
  return values;
}

// Values written into the spec's own params, so that a chart is drawn once.
export function withSignals<T extends Record<string, unknown>>(spec: T, values: Map<string, Signal>): T {
  const params = spec["params"];
  if (!Array.isArray(params)) return spec;
  const set = params.map((param: Record<string, unknown>) => {
    const name = param["name"];
    return typeof name === "string" && values.has(name) ? { ...param, value: values.get(name) } : param;
  });
  return { ...spec, params: set };
}
