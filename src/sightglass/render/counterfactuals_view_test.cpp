#include "sightglass/render/counterfactuals_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Counterfactuals found() {
  Counterfactuals item{.row = 7, .prediction = 0.2, .predicted_class = "no", .wanted_class = "yes"};
  item.data = Value::object({{"temp", 21.5}, {"season", "winter"}, {"wind", Value()}});
  item.status = RecourseStatus::found;
  item.details.set("prediction_of", "yes");
  item.ladder = {{.features = 1, .status = RungStatus::unreachable},
                 {.features = 2, .status = RungStatus::reached, .bound = 1.5}};
  item.changes = {{.values = Value::object({{"temp", 24.0}, {"season", "spring"}}),
                   .costs = Value::object({{"temp", 0.5}, {"season", 1}}),
                   .prediction = 0.7,
                   .predicted_class = "yes",
                   .cost = 1.5,
                   .distance_to_data = 0.04,
                   .nearest_row = 215,
                   .proof = Proof{.status = ProofStatus::optimal, .bound = 1.5, .among = "all"}}};
  item.proof = Proof{.status = ProofStatus::optimal, .bound = 1.5, .among = "all"};
  return item;
}

Result with(std::vector<Counterfactuals> items) {
  Result result;
  result.method = "counterfactuals";
  result.about = {.title = "Counterfactuals", .family = Family::local};
  for (Counterfactuals& item : items) result.results.emplace_back(std::move(item));
  return result;
}
std::string text_of(const Counterfactuals& item) { return render_text(with({item}), {.width = 200}); }

TEST(CounterfactualsView, TellsTheLadder) {
  const std::string text = text_of(found());
  EXPECT_THAT(text, HasSubstr("Row 7: no (yes: 0.2); wanted: yes"));
  EXPECT_THAT(text, HasSubstr("No change of one feature alone can (proven)."));
  EXPECT_THAT(text, HasSubstr("temp and season together can."));
  EXPECT_THAT(text, HasSubstr("temp from 21.5 up to 24 and season from winter to spring → yes (0.7)"));
  EXPECT_THAT(text, HasSubstr("nearest row with this outcome: 215, 0.04 away"));
  EXPECT_THAT(text, HasSubstr("Proven: no change of fewer features can"));
}

// Proven and not found are two sentences.
TEST(CounterfactualsView, WhatIsProvenAndWhatWasNotFound) {
  Counterfactuals item = found();
  item.changes.clear();
  item.status = RecourseStatus::unreachable;
  EXPECT_THAT(text_of(item), HasSubstr("Proven: no change of the features that may change reaches this outcome"));
  item.details.set("may_change", 0);
  EXPECT_THAT(text_of(item), HasSubstr("No feature may change: each is fixed, missing or has nowhere to go."));
  EXPECT_THAT(text_of(item), Not(HasSubstr("Proven")));
  item.data = Value::object({{"temp", Value()}});
  EXPECT_THAT(text_of(item), HasSubstr("No feature may change: the row has no values, and what is missing stays"));
  item.details.set("may_change", 1);
  item.status = RecourseStatus::not_found;
  item.ladder = {{.features = 1, .status = RungStatus::not_found}};
  EXPECT_THAT(text_of(item), HasSubstr("which does not prove that there is nothing"));
  EXPECT_THAT(text_of(item), Not(HasSubstr("Proven")));
  item.ladder = {{.features = 1, .status = RungStatus::unreachable}};
  EXPECT_THAT(text_of(item), HasSubstr("Proven: no change of up to one feature reaches this outcome"));
  item.status = RecourseStatus::already;
  item.ladder.clear();
  EXPECT_THAT(text_of(item), HasSubstr("nothing needs to change"));
}

TEST(CounterfactualsView, WhatSearchFoundIsNeverCalledSmallest) {
  Counterfactuals item = found();
  item.proof->status = ProofStatus::sampled;
  EXPECT_THAT(text_of(item), HasSubstr("Found by search; a smaller change may exist."));
  item.proof = Proof{.status = ProofStatus::bounded, .bound = 0.41};
  EXPECT_THAT(text_of(item), HasSubstr("no change of as few features costs less than 0.41"));
}

// What is written down is past the threshold, seen from the row.
TEST(CounterfactualsView, NumbersAreRoundedPastTheThreshold) {
  EXPECT_EQ(past_text(0, 1.2345678901), "1.24");
  EXPECT_EQ(past_text(2, 1.2345678901), "1.23");
  EXPECT_EQ(past_text(1.2345, 1.23456789012), "1.234568");
  EXPECT_EQ(past_text(0, 7), "7");
  EXPECT_EQ(past_text(0, 40.9), "40.9");
  EXPECT_EQ(past_text(0, -1e-40), "-1e-40");
}

TEST(CounterfactualsView, ManyRowsAreCountedAsRows) {
  Result many = with({found()});
  for (int i = 1; i < 60; ++i) many.results.emplace_back(found());
  EXPECT_THAT(render_text(many), HasSubstr("40 of 60 rows; csv and json have all"));
}

TEST(CounterfactualsView, EveryFormat) {
  const Result result = with({found()});
  const std::string json = to_json(result);
  EXPECT_EQ(to_json(result_from_json(json, "test")), json);
  const std::string csv = render_csv(result);
  EXPECT_THAT(csv, HasSubstr(",21.5,24,"));
  EXPECT_THAT(csv, HasSubstr(",winter,spring,"));
  const std::string chart = to_json(render_vega(result));
  EXPECT_THAT(chart, HasSubstr("Change 1 → yes (0.7): temp from 21.5 up to 24"));
  EXPECT_THAT(chart, HasSubstr("and season from winter to spring"));
}

TEST(CounterfactualsView, ASecondModelIsTold) {
  Counterfactuals item = found();
  item.changes[0].other = OtherAnswer{.prediction = 0.4, .predicted_class = "no", .kept = false};
  EXPECT_THAT(text_of(item), HasSubstr("the other model does not: no (yes: 0.4)"));
  EXPECT_THAT(render_csv(with({item})), HasSubstr(",0.4,false,no,"));
  const std::string json = to_json(with({item}));
  EXPECT_EQ(to_json(result_from_json(json, "test")), json);
  item.changes[0].other = OtherAnswer{.prediction = 0.6, .predicted_class = "yes", .kept = true};
  EXPECT_THAT(text_of(item), HasSubstr("the other model agrees: yes (0.6)"));
}

TEST(CounterfactualsView, FilesThatMakeNoSense) {
  const auto complaint = [](std::string json, const std::string& from, const std::string& to) {
    json.replace(json.find(from), from.size(), to);
    try {
      (void)result_from_json(json, "test");
    } catch (const Error& error) {
      return error.kind() == ErrorKind::data ? std::string(error.what()) : "another kind of error";
    }
    return std::string("nothing");
  };
  const std::string json = to_json(with({found()}));
  EXPECT_THAT(complaint(json, R"("season":"spring")", R"("season":[1])"), HasSubstr("no number, level or null"));
  EXPECT_THAT(complaint(json, R"("temp":0.5)", R"("temp":"a")"), HasSubstr("no number"));
  EXPECT_THAT(complaint(json, R"("status":"found")", R"("status":"lost")"), HasSubstr("status"));
}

}  // namespace
}  // namespace sightglass
