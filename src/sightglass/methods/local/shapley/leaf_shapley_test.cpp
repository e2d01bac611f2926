#include <gtest/gtest.h>

#include "sightglass/methods/local/shapley/leaf_shapley_internal.h"
#include "sightglass/methods/registry.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::random_table;
using testing::random_trees;
using testing::tree_families;

// Takes stages until the attributor is there, then asks it about all rows.
BlockAttributions attribute(const Preparation& preparation, const Table& table,
                            Next (*begin)(const MethodInput&, const LeafShapleyOptions&, AttributorReady), bool cover) {
  std::shared_ptr<const RowAttributor> found;
  const LeafShapleyOptions options{
      .cover = cover, .interactions = true, .explains = [](std::uint64_t) { return true; }};
  Next next = begin(*preparation.input, options, [&](std::shared_ptr<const RowAttributor> attributor) -> Next {
    found = std::move(attributor);
    return Result{};
  });
  while (auto* stage = std::get_if<std::unique_ptr<Stage>>(&next)) {
    const auto partial = (*stage)->empty();
    preparation.map(**stage, table, *partial);
    Next after = (*stage)->next(*partial);
    next = std::move(after);
  }
  BlockAttributions out;
  const auto stream = table.open(preparation.input->features, table.rows());
  const auto block = stream->next();
  found->attribute(*block, *preparation.evaluator, out);
  return out;
}

TEST(LeafShapley, PassesOverRangesGiveTheSameNumbers) {
  Context context(2);
  const Table table = random_table(3, 500).with_weights(4);
  for (const auto& [name, family] : tree_families()) {
    const auto model = random_trees(5, family);
    const Preparation preparation("shap", *model, table, Value::object({{"scale", "margin"}}), context);
    const BlockAttributions at_once = attribute(preparation, table, &count_shapley, false);
    const BlockAttributions in_passes = attribute(preparation, table, &shapley_in_passes, false);
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
