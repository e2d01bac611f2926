// The place in a chapter where a section appears that was asked for. One at a time; what the reader keeps stays below it.
import { h } from "./dom";
import { offer } from "./journey";
import type { Payload } from "./payload";
import { sectionView, type SectionView } from "./section";

export class Stage {
  readonly element = h("div", { class: "stage" });
  private readonly kept = h("div", { class: "kept" });
  private current: { section: number; view: SectionView } | null = null;
  private readonly listeners: ((section: number | null) => void)[] = [];

  constructor(
    private readonly payload: Payload,
    sections: number[],
  ) {
    this.element.append(this.kept);
    for (const section of sections) offer(section, (one) => this.show(one));
  }

  // Tables and lists mark what is shown.
  onShow(listener: (section: number | null) => void): void {
    this.listeners.push(listener);
  }

  private show(section: number): void {
    this.clear();
    const view = sectionView(section, this.payload, 3);
    this.current = { section, view };
    view.element.classList.add("asked");
    const keep = h("button", { type: "button", class: "quiet" }, "Keep on the page");
    const close = h("button", { type: "button", class: "quiet" }, "Close");
    const tools = h("div", { class: "stage-tools" }, keep, close);
    view.heading.parentElement?.append(tools);
    keep.addEventListener("click", () => {
      keep.remove();
      this.current = null;
      this.kept.prepend(view.element);
      view.heading.focus({ preventScroll: true });
    });
    close.addEventListener("click", () => {
      if (this.current?.view === view) this.current = null;
      view.end();
      view.element.remove();
      // Back to where it came from.
      document.querySelector<HTMLElement>(`[data-section="${section}"] a`)?.focus();
      this.tell(null);
    });
    this.element.prepend(view.element);
    this.tell(section);
  }

  private clear(): void {
    this.current?.view.end();
    this.current?.view.element.remove();
    this.current = null;
  }

  private tell(section: number | null): void {
    for (const listener of this.listeners) listener(section);
  }
}
