// The strip above everything: whose page this is, light or dark, print.
import { printPage } from "./chart_queue";
import { h, svg } from "./dom";
import { currentTheme, onTheme, toggleTheme } from "./theme";

function logo(): SVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 32 32", width: 22, height: 22, "aria-hidden": "true", class: "logo" },
    svg("circle", { cx: 16, cy: 16, r: 13.5, fill: "none", stroke: "currentColor", "stroke-width": 2.5 }),
    svg("path", { d: "M5.5 18c4-5 6.500 3 10.500 0s6.500-5 10.500 0a10.600 10.600 0 0 1-21 0z", fill: "currentColor" }),
  );
}

function themeButton(): HTMLElement {
  const button = h("button", { type: "button", class: "quiet", click: () => toggleTheme() });
  const label = (): void => {
    button.textContent = currentTheme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", currentTheme() === "dark" ? "Use light colours" : "Use dark colours");
  };
  onTheme(label);
  label();
  return button;
}

function printButton(): HTMLElement {
  const button = h("button", { type: "button", class: "quiet" }, "Print");
  button.addEventListener("click", () => {
    button.disabled = true;
    void printPage().finally(() => (button.disabled = false));
  });
  return button;
}

export function bar(): HTMLElement {
  return h(
    "div",
    { class: "bar", role: "banner" },
    h("span", { class: "wordmark" }, logo(), "Sightglass"),
    h("span", { class: "bar-tools" }, themeButton(), printButton()),
  );
}
