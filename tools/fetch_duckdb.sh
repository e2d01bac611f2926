#!/usr/bin/env bash
# Puts DuckDB's C library, header and licence into .deps/duckdb: from npm packages, without install scripts.
set -euo pipefail
target=$(cd "$(dirname "$0")/.." && pwd)/.deps/duckdb
bindings=@duckdb/node-bindings-linux-x64@1.4.4-r.4
sources=duckdb@1.4.4
[ -f "$target/libduckdb.so" ] && [ -f "$target/duckdb.h" ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in "$bindings" "$sources"; do
  mkdir -p unpacked
  archive=$(npm pack --loglevel=error --ignore-scripts "$package" | tail -n 1)
  tar xzf "$archive" -C unpacked package/LICENSE \
    "$([ "$package" = "$bindings" ] && echo package/libduckdb.so || echo package/src/duckdb/src/include/duckdb.h)"
done
mkdir -p "$target"
cp unpacked/package/LICENSE "$target/LICENSE"
cp unpacked/package/src/duckdb/src/include/duckdb.h "$target/duckdb.h"
# The library last and by rename: its presence says that all is there.
cp unpacked/package/libduckdb.so "$target/libduckdb.so.part"
mv "$target/libduckdb.so.part" "$target/libduckdb.so"
