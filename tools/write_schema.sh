#!/bin/sh
# Writes docs/result.schema.json anew, from the descriptions of the shapes (src/sightglass/result/shapes).
set -e
cd "$(dirname "$0")/.."
SIGHTGLASS_WRITE_SCHEMA=1 build/release/tests/unit_tests --gtest_filter='ResultSchema.*'
