// Getting about: a link, a click on a mark, or back and forward lead to a section, which is put on the page if it is not
// there yet. The address says where the reader is, so every way goes by it.
import { hashOf, idOf, idOfHash, sectionOfHash } from "./places";

type Show = (section: number) => void;

// Who can put which section on the page.
const shows = new Map<number, Show>();

export function offer(section: number, show: Show): void {
  shows.set(section, show);
}

// What is folded is opened around it.
function unfold(element: Element): void {
  for (let around: Element | null = element; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement) around.open = true;
  }
}

// Far down or out of sight: near the top is good enough, and keeps the table in view that led here.
function reveal(element: HTMLElement): void {
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > innerHeight * 0.6) element.scrollIntoView({ block: "start" });
}

function arrive(section: number): void {
  const id = idOf(section);
  if (!document.getElementById(id)) shows.get(section)?.(section);
  const element = document.getElementById(id);
  if (!element) return;
  unfold(element);
  reveal(element);
  document.getElementById(`title-of-${id}`)?.focus({ preventScroll: true });
}

export function go(section: number): void {
  if (sectionOfHash(location.hash) === section) arrive(section);
  else location.hash = hashOf(section);
}

// Something else that has an address: a chapter, the list of all cautions.
function arriveAt(element: HTMLElement | null): void {
  if (!element) return;
  unfold(element);
  element.scrollIntoView();
}

function arriveByAddress(): void {
  const section = sectionOfHash(location.hash);
  if (section !== null) arrive(section);
  else arriveAt(document.getElementById(idOfHash(location.hash)));
}

export function startJourney(): void {
  addEventListener("hashchange", arriveByAddress);
  // Links by our own hand: one to where the address already is would make no event, and in a notebook, where the page has no
  // address of its own, a link would lead to the notebook.
  document.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href") ?? "";
    if (!href.startsWith("#")) return;
    event.preventDefault();
    if (location.hash !== href) location.hash = href;
    else arriveByAddress();
  });
  // The browser looked for it when there was nothing yet.
  arriveByAddress();
}
