#include <gtest/gtest.h>

#include "sightglass/methods/local/shapley/leaf_shapley_internal.h"
#include "sightglass/methods/run/session.h"
#include "support/random_data.h"
#include "support/random_trees.h"
#include "support/take_chain.h"

namespace sightglass {
namespace {

using testing::random_table;
using testing::random_trees;
using testing::tree_families;

// Takes stages until the attributor is there, then asks it about all rows.
BlockAttributions attribute(const RunSession& session, const Table& table,
                            Chain<AttributorPtr> (*begin)(const MethodInput&, const LeafShapleyOptions&), bool cover) {
  const LeafShapleyOptions options{.cover = cover, .interactions = true, .rows = std::nullopt};
  const auto found = *testing::take_chain(begin(session.input(), options), {table}, session.evaluator()).value;
  BlockAttributions out;
  const auto stream = table.open(session.input().features, table.rows());
  const auto block = stream->next();
  found->attribute(*block, session.evaluator(), out);
  return out;
}

TEST(LeafShapley, PassesOverRangesGiveTheSameNumbers) {
  Context context(2);
  const Table table = random_table(3, 500).with_weights(4);
  for (const auto& [name, family] : tree_families()) {
    const auto model = random_trees(5, family);
    RunOptions told;
    told.scale = "margin";
    const RunSession session(*model, table, told, context);
    const BlockAttributions at_once = attribute(session, table, &count_shapley, false);
    const BlockAttributions in_passes = attribute(session, table, &shapley_in_passes, false);
    ASSERT_GT(at_once.values.size(), 0U);
    EXPECT_EQ(at_once.prediction, in_passes.prediction) << name;
    for (const auto part : {&BlockAttributions::base, &BlockAttributions::values, &BlockAttributions::interactions}) {
      ASSERT_EQ((at_once.*part).size(), (in_passes.*part).size()) << name;
      for (std::size_t i = 0; i < (at_once.*part).size(); ++i)
        EXPECT_NEAR((at_once.*part)[i], (in_passes.*part)[i], 1e-12) << name;
    }
  }
}

TEST(LeafShapley, CoversThatDoNotAddUpAreSaid) {
  TreeEnsemble::Parts parts;
  parts.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = 1}, {.threshold = 1}, {.threshold = 2}};
  const auto caveats = [&](std::vector<double> covers) {
    parts.covers = std::move(covers);
    std::vector<Caveat> found;
    add_cover_caveat(parts, found);
    return found.size();
  };
  EXPECT_EQ(caveats({10, 4, 6}), 0U);
  EXPECT_EQ(caveats({10, 10, 10}), 1U);
  EXPECT_EQ(caveats({0, 0, 0}), 1U);
  EXPECT_EQ(caveats({1e-45, 3e38, 0}), 1U);
}

}  // namespace
}  // namespace sightglass
