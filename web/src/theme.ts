// Light or dark: what the system prefers until the reader says otherwise. Charts take their colours from here.
import type { Config } from "vega-lite";

export type Theme = "light" | "dark";

const key = "sightglass-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<(theme: Theme) => void>();
let chosen: Theme | null = stored();

// Pages opened from a file or in a sandbox may have no storage.
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

export function currentTheme(): Theme {
  return chosen ?? (system.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset["theme"] = currentTheme();
  for (const listener of listeners) listener(currentTheme());
}

// Returns how to stop listening.
export function onTheme(listener: (theme: Theme) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function toggleTheme(): void {
  chosen = currentTheme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Then it holds for this visit only.
  }
  apply();
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}

// Okabe and Ito's colours; lighter ones on a dark page.
const palettes: Record<Theme, string[]> = {
  light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5D3A9B", "#7A7A7A"],
  dark: ["#5CB8F0", "#F28E4B", "#3CC9A0", "#E6A3C8", "#A5D8F3", "#F5C24C", "#B39CE6", "#A8A8A8"],
};
const inks: Record<Theme, { text: string; label: string; line: string; grid: string; paper: string }> = {
  light: { text: "#2a313b", label: "#566070", line: "#c3c9d2", grid: "#edeff2", paper: "#ffffff" },
  dark: { text: "#d9dee6", label: "#a3acb9", line: "#454d5a", grid: "#272d36", paper: "#1a1e25" },
};

export function paper(theme: Theme): string {
  return inks[theme].paper;
}

// Colours of effects around zero: what is next to nothing looks like the paper, and numbers on it can be read.
function effects(theme: Theme): Config {
  const category = palettes[theme];
  const { paper } = inks[theme];
  const rim = { color: paper, stroke: paper };
  if (theme === "light") return { range: { category }, style: { rim } };
  return {
    range: { category, diverging: ["#7cc8f5", "#4a93c0", "#2f5a76", "#232a33", "#7a4b2b", "#c07138", "#f7a566"] },
    style: { "on-middle": { color: "#e6ebf2" }, "on-ends": { color: "#10141a" }, rim },
  };
}

export function chartConfig(theme: Theme): Config {
  const ink = inks[theme];
  const first = palettes[theme][0]!;
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  return {
    font,
    axis: {
      labelColor: ink.label,
      titleColor: ink.text,
      domainColor: ink.line,
      tickColor: ink.line,
      gridColor: ink.grid,
      tickSize: 4,
    },
    title: { color: ink.text },
    legend: { labelColor: ink.text, titleColor: ink.label },
    line: { color: first },
    ...effects(theme),
  };
}
