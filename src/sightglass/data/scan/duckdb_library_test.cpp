#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sightglass/data/scan/duckdb_library_internal.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(DuckDbLibrary, WhereItIsLookedFor) {
  const char* set = std::getenv("SIGHTGLASS_DUCKDB");
  const std::string before = set == nullptr ? "" : set;
  setenv("SIGHTGLASS_DUCKDB", "/opt/libduckdb.so", 1);
  EXPECT_THAT(duckdb_candidates(), ElementsAre("/opt/libduckdb.so"));
  setenv("SIGHTGLASS_DUCKDB", "lib.so", 1);
  EXPECT_THAT(duckdb_candidates(), ElementsAre(StartsWith("/"))) << "a bare name would be looked for elsewhere";
  unsetenv("SIGHTGLASS_DUCKDB");
  EXPECT_GE(duckdb_candidates().size(), 3U);
  for (const std::string& path : duckdb_candidates()) EXPECT_THAT(path, StartsWith("/"));
  if (set != nullptr) setenv("SIGHTGLASS_DUCKDB", before.c_str(), 1);
}

TEST(DuckDbLibrary, IsLoadedOnce) { EXPECT_EQ(&duckdb(), &duckdb()); }

}  // namespace
}  // namespace sightglass
