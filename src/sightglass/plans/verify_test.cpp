#include "sightglass/plans/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/rules.h"
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

// Whatever was changed in a file: costs, bounds, rungs of the ladder, other changes than the first, what was wanted.
TEST_F(Verify, EditsOfAllClaimsAreNoticed) {
  const auto failures = [&](const auto& edit) {
    Result saved = explained(options_);
    edit(first_found(saved));
    return verify(saved, *model_, table_, context_).failures;
  };
  EXPECT_THAT(failures([](Counterfactuals&) {}), IsEmpty());
  const auto feature = [](const Counterfactuals& item) { return item.changes[0].costs.as_object().begin()->first; };
  EXPECT_FALSE(failures([&](Counterfactuals& item) { item.changes[0].costs.set(feature(item), 0.01); }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { item.changes.back().cost *= 0.5; }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { item.changes.clear(); }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { item.changes.push_back(item.changes[0]); }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { *item.proof->bound *= 0.5; }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { item.ladder[0].status = RungStatus::not_found; }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { item.changes[0].distance_to_data = 0.5; }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { item.at_least = *item.at_least - 0.2; }).empty());
  EXPECT_FALSE(failures([](Counterfactuals& item) { item.proof.reset(); }).empty());
}

// A row that has the outcome already needs no proof, and is compared all the same; so is one that is said to have it.
TEST_F(Verify, RowsThatNeedNoChangeAreNoticed) {
  std::size_t already = 0, forged = 0;
  for (std::int64_t row = 0; row < 30 && (already == 0 || forged == 0); ++row) {
    Result saved = explained(Value::object({{"at_least", 0.0}, {"rows", std::vector<std::int64_t>{row}}}));
    EXPECT_THAT(verify(saved, *model_, table_, context_).failures, IsEmpty());
    auto& item = *saved.results.front().as<Counterfactuals>();
    if (item.status == RecourseStatus::already) {
      ++already;
      item.data.set("d", item.data.find("d")->is_null() ? Value(0.5) : Value());
    } else if (item.status == RecourseStatus::found) {
      ++forged;
      item.status = RecourseStatus::already;
      item.changes.clear();
      item.ladder.clear();
      item.proof.reset();
    } else {
      continue;
    }
    EXPECT_FALSE(verify(saved, *model_, table_, context_).failures.empty()) << row;
  }
  EXPECT_GT(already, 0U);
  EXPECT_GT(forged, 0U);
}

TEST_F(Verify, NamesOfOutputsMustBeThoseOfTheResult) {
  Result saved = explained(options_);
  first_found(saved).details.set("prediction_of", "elsewhere");
  try {
    (void)verify(saved, *model_, table_, context_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.message(), HasSubstr("about the output elsewhere"));
  }
}

// The old model was asked by its trees, which the new one does not have.
TEST_F(Verify, ANewModelMayBeOfAnotherKind) {
  const testing::FunctionModel same({"a", "b", "c", "d"}, [](const auto&) { return std::vector<double>{0, 0}; },
                                    {"first", "second"});
  EXPECT_NO_THROW((void)verify(explained(options_.set("engine", "trees")), same, table_, context_, true));
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

class VerifyCertainRules : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  [[nodiscard]] Result explained(const Value& options) {
    return result_from_json(to_json(explain("anchors", *model_, table_, options, context_)), "test");
  }
  // The first of a rule with some conditions.
  static Rule& first_rule(Result& result, std::size_t conditions) {
    for (ResultItem& item : result.results) {
      for (Rule& rule : item.as<Rules>()->rules) {
        if (rule.certain && rule.conditions.size() >= conditions) return rule;
      }
    }
    throw std::logic_error("nothing was found");
  }
  [[nodiscard]] std::vector<std::string> failures(const Result& saved) {
    return verify(saved, *model_, table_, context_).failures;
  }

  Table table_ = testing::random_table(3, 250);
  std::unique_ptr<TreeEnsemble> model_ = std::make_unique<TreeEnsemble>(
      testing::TreeBuilder(6, testing::tree_families().at(GetParam().first)).build(20, 4), "t");
  Context context_{1};
  Value options_ = Value::object({{"certain", true},
                                  {"explain", 30},
                                  {"outcome", GetParam().second},
                                  {"tolerance", 1.5},
                                  {"perturbed_rows", 1000}});
};

TEST_P(VerifyCertainRules, WhatWasJustMadeHolds) {
  const Result saved = explained(options_);
  const Verification found = verify(saved, *model_, table_, context_);
  EXPECT_THAT(found.failures, IsEmpty());
  EXPECT_GE(found.proofs, 30U);
  // With few boxes, too: what was claimed is less.
  EXPECT_THAT(failures(explained(Value(options_).set("boxes", 2))), IsEmpty());
  const Verification kept = verify(saved, *model_, table_, context_, true);
  EXPECT_THAT(kept.failures, IsEmpty());
  EXPECT_EQ(kept.kept, kept.rows);
}

TEST_P(VerifyCertainRules, SaysWhatDoesNotHold) {
  Result saved = explained(options_);
  const Result untouched = saved;
  // A condition left out.
  first_rule(saved, 2).conditions.pop_back();
  EXPECT_THAT(failures(saved), ElementsAre(HasSubstr("does not settle")));
  // A bound that claims too much.
  saved = untouched;
  Rule& rule = first_rule(saved, 1);
  rule.proof->bound = static_cast<double>(rule.conditions.size()) + 1;
  EXPECT_THAT(failures(saved), ElementsAre(HasSubstr("is not proven")));
  // Another outcome.
  saved = untouched;
  Rule& other = first_rule(saved, 1);
  if (other.effect) {
    *other.effect += 100;
  } else {
    other.predicted_class = "something else";
  }
  EXPECT_THAT(failures(saved), ElementsAre(HasSubstr("the model says")));
  // A condition that the row does not meet, and one on nothing.
  saved = untouched;
  first_rule(saved, 1).conditions[0] = {.feature = "a", .at_least = 1e9};
  EXPECT_THAT(failures(saved), ElementsAre(HasSubstr("the row does not meet")));
  first_rule(saved, 1).conditions[0].feature = "nothing";
  EXPECT_THAT(failures(saved), ElementsAre(HasSubstr("the model is not given nothing")));
  // A condition as wide as can be.
  saved = untouched;
  for (ShownCondition& condition : first_rule(saved, 2).conditions) {
    if (condition.categorical || condition.missing) continue;
    condition = {.feature = condition.feature, .at_least = -1e300};
  }
  EXPECT_FALSE(failures(saved).empty());
}

// A rule of more conditions than needed settles the outcome as well, but is neither the smallest nor minimal.
TEST_P(VerifyCertainRules, AConditionTooManyIsNoticed) {
  Result saved = explained(options_);
  for (ResultItem& item : saved.results) {
    auto& rules = *item.as<Rules>();
    Rule& rule = rules.rules.at(1);
    if (!rule.certain || rule.conditions.size() == 4) continue;
    for (const char* name : {"a", "b", "d"}) {
      const auto j = static_cast<std::size_t>(name[0] - 'a');
      const double value = table_.column(j).number(*rules.row);
      const bool there = std::any_of(rule.conditions.begin(), rule.conditions.end(),
                                     [&](const ShownCondition& each) { return each.feature == name; });
      if (there || std::isnan(value)) continue;
      rule.conditions.push_back({.feature = name, .at_least = value, .at_most = value});
      EXPECT_THAT(failures(saved), ::testing::Contains(HasSubstr("is not proven")));
      EXPECT_THAT(failures(saved), ::testing::Contains(HasSubstr("can be left out was not proven")));
      rule.minimal = false;
      rule.proof->status = ProofStatus::bounded;
      EXPECT_THAT(failures(saved), IsEmpty());
      return;
    }
  }
  FAIL() << "no row has a rule that could be longer";
}

// The rule that was counted over rows stands beside the certain one, and is read like it.
TEST_P(VerifyCertainRules, EditsOfCountedRulesAreNoticed) {
  EXPECT_THAT(failures(explained(options_)), IsEmpty());
  const auto edited = [&](const auto& edit) {
    Result saved = explained(options_);
    edit(*saved.results.front().as<Rules>());
    return failures(saved);
  };
  EXPECT_FALSE(edited([](Rules& rules) { rules.rules[0].precision = 0.123; }).empty());
  EXPECT_FALSE(edited([](Rules& rules) { rules.rules[0].perturbed_precision = 0.123; }).empty());
  EXPECT_FALSE(edited([](Rules& rules) { rules.rules[0].support += 0.01; }).empty());
  EXPECT_FALSE(
      edited([](Rules& rules) { rules.rules[0].conditions.push_back({.feature = "a", .missing = true}); }).empty());
  EXPECT_FALSE(edited([](Rules& rules) { rules.details.set("holds", "always"); }).empty());
  Result saved = explained(options_);
  for (ResultItem& item : saved.results) {
    Rule& last = item.as<Rules>()->rules.back();
    if (!last.certain) continue;
    last.certain = false;
    EXPECT_FALSE(failures(saved).empty());
    last.certain = true;
    last.support += 0.01;
    EXPECT_FALSE(failures(saved).empty());
    return;
  }
  FAIL() << "no row has a certain rule";
}

TEST_P(VerifyCertainRules, ANewModelKeepsThemOrBreaksThem) {
  const Result saved = explained(options_);
  TreeEnsemble::Parts moved = model_->parts();
  for (TreeNode& node : moved.nodes) {
    if (node.is_leaf()) node.threshold *= -3;
  }
  for (double& value : moved.leaf_values) value *= -3;
  const Verification broken = verify(saved, TreeEnsemble(moved, "moved"), table_, context_, true);
  EXPECT_FALSE(broken.failures.empty());
  EXPECT_LT(broken.kept, broken.rows);
  EXPECT_THAT(broken.failures,
              ::testing::Each(::testing::AnyOf(HasSubstr("the model says"), HasSubstr("no longer settles"))));
}

INSTANTIATE_TEST_SUITE_P(Trees, VerifyCertainRules,
                         ::testing::Values(std::pair("xgboost", "number"), std::pair("lightgbm", "label"),
                                           std::pair("forest", "class")),
                         [](const auto& test) { return std::string(test.param.first); });

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
