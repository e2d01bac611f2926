// Elements from plain data. Text only ever becomes text nodes, so names from a data file stay names.
import { wordParts } from "./words";

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (typeof child === "string") element.append(...breakable(child, element));
    else if (child) element.append(child);
  }
}

// What shows letters as they are, or is no place for other elements.
const verbatim = new Set(["CODE", "OPTION", "text", "title"]);

// A text in which long names may break between their parts.
export function breakable(text: string, within?: Element): (Node | string)[] {
  if (within && verbatim.has(within.tagName)) return [text];
  return wordParts(text).flatMap((part, i) => (i === 0 ? [part] : [document.createElement("wbr"), part]));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}
