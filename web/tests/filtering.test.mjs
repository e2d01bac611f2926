import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.mjs";

const { folded, matching } = await load("filtering");

const names = ["hour × temp", "feels_like", "temp", "Température", "temp_max", "working.day", "السلام", "🚲 bikes"];
const found = (query) => matching(names, query).map((i) => names[i]);

test("nothing typed: everything, in order", () => {
  assert.deepEqual(found(""), names);
  assert.deepEqual(found("   "), names);
});

test("what is typed may stand anywhere; names that are it come first, then those that begin with it", () => {
  assert.deepEqual(found("temp"), ["temp", "Température", "temp_max", "hour × temp"]);
  assert.deepEqual(found("like"), ["feels_like"]);
});

test("case and accents do not matter", () => {
  assert.deepEqual(found("TEMPÉR"), ["Température"]);
  assert.equal(folded("Ångström"), "angstrom");
});

test("several words in whatever order", () => {
  assert.deepEqual(found("temp hour"), ["hour × temp"]);
  assert.deepEqual(found("hour  nothing"), []);
});

test("letters mean themselves, whatever they are elsewhere", () => {
  assert.deepEqual(found("."), ["working.day"]);
  assert.deepEqual(found("(*["), []);
  assert.deepEqual(found("السلام"), ["السلام"]);
  assert.deepEqual(found("🚲"), ["🚲 bikes"]);
});
