#include "sightglass/plans/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "support/function_model.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Verify : public ::testing::Test {
 protected:
  [[nodiscard]] Result explained(const Value& options) {
    return result_from_json(to_json(explain("counterfactuals", *model_, table_, options, context_)), "test");
  }
  static Counterfactuals& first_found(Result& result) {
    for (ResultItem& item : result.results) {
      auto* found = item.as<Counterfactuals>();
      if (found != nullptr && !found->changes.empty() && found->proof->status == ProofStatus::optimal) return *found;
    }
    throw std::logic_error("nothing was found");
  }

  Table table_ = testing::random_table(3, 200);
  std::unique_ptr<TreeEnsemble> model_ = testing::random_trees(4, testing::tree_families().at("xgboost"));
  Context context_{1};
  Value options_ = Value::object({{"change", 0.4}, {"explain", 8}});
};

TEST_F(Verify, WhatWasJustMadeHolds) {
  for (const char* search : {"auto", "asking"}) {
    const Verification found = verify(explained(options_.set("search", search)), *model_, table_, context_);
    EXPECT_THAT(found.failures, IsEmpty());
    EXPECT_GT(found.predictions, 16U);
    EXPECT_EQ(found.proofs > 0, search == std::string("auto"));
  }
}

TEST_F(Verify, SaysWhatDoesNotHold) {
  Result saved = explained(options_);
  first_found(saved).changes[0].prediction += 0.1;
  EXPECT_THAT(verify(saved, *model_, table_, context_).failures, ElementsAre(HasSubstr("is predicted as")));
  saved = explained(options_);
  first_found(saved).changes[0].cost *= 2;
  EXPECT_THAT(verify(saved, *model_, table_, context_).failures, ElementsAre(HasSubstr("not the smallest change")));
  saved = explained(options_);
  Counterfactuals& item = first_found(saved);
  item.at_least = item.changes[0].prediction + 0.01;
  EXPECT_THAT(verify(saved, *model_, table_, context_).failures, ::testing::Contains(HasSubstr("does not reach")));
  saved = explained(options_);
  first_found(saved).data = Value::object({{"a", 1.0}});
  EXPECT_THAT(verify(saved, *model_, table_, context_).failures, ::testing::Contains(HasSubstr("no value of")));
}

TEST_F(Verify, AnotherModelIsNoticed) {
  const auto other = testing::random_trees(5, testing::tree_families().at("xgboost"));
  EXPECT_FALSE(verify(explained(options_), *other, table_, context_).failures.empty());
}

// A new version need not predict the same, but is asked whether it keeps what the old one promised.
TEST_F(Verify, ANewModelKeepsPromisesOrBreaksThem) {
  const Result saved = explained(options_);
  EXPECT_THAT(verify(saved, *model_, table_, context_, true).failures, IsEmpty());
  TreeEnsemble::Parts higher = model_->parts();
  for (double& base : higher.base) base += 1;
  const Verification kept = verify(saved, TreeEnsemble(higher, "higher"), table_, context_, true);
  EXPECT_THAT(kept.failures, IsEmpty());
  EXPECT_EQ(kept.kept, kept.rows);
  EXPECT_GT(kept.rows, 0U);
  for (double& base : higher.base) base -= 2;
  const Verification broken = verify(saved, TreeEnsemble(higher, "lower"), table_, context_, true);
  EXPECT_FALSE(broken.failures.empty());
  EXPECT_THAT(broken.failures[0], HasSubstr("no longer reaches"));
  EXPECT_LT(broken.kept, broken.rows);
}

TEST_F(Verify, NothingToCheckIsAnError) {
  try {
    (void)verify(Result(), *model_, table_, context_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

}  // namespace
}  // namespace sightglass
