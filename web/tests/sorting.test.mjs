import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load } from "./module.mjs";

const { byName, columnExtent, nextSorting, placeIn, sortedRows } = await load("sorting");

const cell = (value, low = null, high = null) => ({ text: String(value), value, low, high });
const row = (name, ...values) => ({ name, section: null, cells: values.map((value) => cell(value)) });
const names = (rows) => rows.map((one) => one.name);

describe("rows of a ranking", () => {
  const rows = [row("temp", 3, 0.5), row("hour", null, 0.7), row("Wind", 12, 0.5), row("x10", -1, Number.NaN), row("x9", 4, 0.1)];

  test("sort by a measure, those without a value last either way", () => {
    assert.deepEqual(names(sortedRows(rows, { column: 0, direction: "descending" })), ["Wind", "x9", "temp", "x10", "hour"]);
    assert.deepEqual(names(sortedRows(rows, { column: 0, direction: "ascending" })), ["x10", "temp", "x9", "Wind", "hour"]);
    assert.deepEqual(names(sortedRows(rows, { column: 1, direction: "descending" })), ["hour", "temp", "Wind", "x9", "x10"]);
  });

  test("sort by name as people do: without regard to case, numbers by size", () => {
    assert.deepEqual(names(sortedRows(rows, { column: byName, direction: "ascending" })), ["hour", "temp", "Wind", "x9", "x10"]);
    assert.deepEqual(names(sortedRows(rows, { column: byName, direction: "descending" })), ["x10", "x9", "Wind", "temp", "hour"]);
  });

  test("a column that is not there changes nothing", () => {
    assert.deepEqual(names(sortedRows(rows, { column: 7, direction: "ascending" })), names(rows));
  });

  test("sorting leaves the given rows alone", () => {
    const before = names(rows);
    sortedRows(rows, { column: 0, direction: "ascending" });
    assert.deepEqual(names(rows), before);
  });

  test("clicks: greatest first, then turned round; names from A to Z", () => {
    const first = nextSorting(null, 2);
    assert.deepEqual(first, { column: 2, direction: "descending" });
    assert.deepEqual(nextSorting(first, 2), { column: 2, direction: "ascending" });
    assert.deepEqual(nextSorting(first, 1), { column: 1, direction: "descending" });
    assert.deepEqual(nextSorting(first, byName), { column: byName, direction: "ascending" });
  });
});

describe("bars", () => {
  test("span all values, intervals and zero", () => {
    const rows = [{ name: "a", section: null, cells: [cell(3, 2, 5)] }, { name: "b", section: null, cells: [cell(-1, -2, 0.5)] }];
    const extent = columnExtent(rows, 0);
    assert.deepEqual(extent, { low: -2, high: 5 });
    assert.equal(placeIn(extent, -2), 0);
    assert.equal(placeIn(extent, 5), 1);
    assert.equal(placeIn(extent, 1.5), 0.5);
  });

  test("of ratios start at one", () => {
    const rows = [{ name: "a", section: null, cells: [cell(3, 2, 5)] }, { name: "b", section: null, cells: [cell(0.9, null, null)] }];
    assert.deepEqual(columnExtent(rows, 0, 1), { low: 0.9, high: 5 });
    assert.deepEqual(columnExtent([row("a", 4)], 0, 1), { low: 1, high: 4 });
  });

  test("survive nothing, equal values, and the largest numbers there are", () => {
    assert.deepEqual(columnExtent([row("a", null)], 0), { low: 0, high: 0 });
    assert.equal(placeIn({ low: 0, high: 0 }, 0), 0);
    const huge = columnExtent([row("a", Number.MAX_VALUE), row("b", -Number.MAX_VALUE)], 0);
    assert.equal(placeIn(huge, 0), 0.5);
    assert.equal(placeIn(huge, Number.MAX_VALUE), 1);
    assert.deepEqual(columnExtent([row("a", Infinity)], 0), { low: 0, high: 0 });
  });
});
