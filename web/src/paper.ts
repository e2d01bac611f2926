// On paper nobody can open anything: what the reader must not miss is open while the page is printed. Tables of a
// chart's numbers would fill a book, and how to read a chart has been told by the first of its kind.
const missed = "details:not([open], .data, .reading-aid)";

export function startPaper(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    const closed = [...document.querySelectorAll<HTMLDetailsElement>(missed)];
    for (const part of closed) part.open = true;
    opened.push(...closed);
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
    opened = [];
  });
}
