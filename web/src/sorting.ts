// The order of the rows of a ranking.
import type { RankRow } from "./payload";

export type Direction = "ascending" | "descending";

// `column` counts the measures; -1 is the column of names.
export interface Sorting {
  column: number;
  direction: Direction;
}

export const byName = -1;

const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function valueOf(row: RankRow, column: number): number | null {
  const value = row.cells[column]?.value ?? null;
  return value !== null && Number.isFinite(value) ? value : null;
}

// Rows without a value stay at the end either way; equal ones keep their order.
export function sortedRows(rows: RankRow[], by: Sorting): RankRow[] {
  const sign = by.direction === "ascending" ? 1 : -1;
  return [...rows].sort((a, b) => {
    if (by.column === byName) return sign * names.compare(a.name, b.name);
    const left = valueOf(a, by.column);
    const right = valueOf(b, by.column);
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  });
}

// The first click on a measure shows its greatest first, on names from A to Z; the next one turns it round.
export function nextSorting(now: Sorting | null, column: number): Sorting {
  if (now?.column === column) return { column, direction: now.direction === "ascending" ? "descending" : "ascending" };
  return { column, direction: column === byName ? "ascending" : "descending" };
}

export interface Extent {
  low: number;
  high: number;
}

// What the bars of a column span: all values and intervals, and where they start.
export function columnExtent(rows: RankRow[], column: number, base = 0): Extent {
  const extent = { low: base, high: base };
  for (const row of rows) {
    const cell = row.cells[column];
    for (const value of [cell?.value, cell?.low, cell?.high]) {
      if (value === null || value === undefined || !Number.isFinite(value)) continue;
      extent.low = Math.min(extent.low, value);
      extent.high = Math.max(extent.high, value);
    }
  }
  return extent;
}

// Where a value lies in it, from 0 to 1. Halves, so that the largest numbers there are do not overflow.
export function placeIn(extent: Extent, value: number): number {
  const span = extent.high / 2 - extent.low / 2;
  if (!(span > 0)) return 0;
  return Math.min(1, Math.max(0, (value / 2 - extent.low / 2) / span));
}
