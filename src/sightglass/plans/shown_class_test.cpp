#include "sightglass/plans/shown_class.h"

#include <gtest/gtest.h>

#include "sightglass/insight/readable.h"
#include "sightglass/plans/explain.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/number_tables.h"

namespace sightglass {
namespace {

using testing::FunctionModel;

// One feature; the truth is a number that names a class. 30 is the most frequent one.
Table truths() { return testing::numbers_table({"x", "y"}, {{1, 2, 3, 4, 5, 6}, {10, 20, 30, 30, 20, 30}}); }

FunctionModel classifier(const std::vector<std::string>& classes) {
  return {{"x"},
          [count = classes.size()](const auto& x) {
            std::vector<double> shares(count, 0.1);
            shares[0] = x[0] / 10;
            return shares;
          },
          classes,
          Concurrency::parallel,
          Task::multiclass};
}

Result explained(const Model& model, Value options) {
  Context context(1);
  return explain("partial-dependence", model, truths(), options, context);
}

TEST(ShownClass, IsTheMostFrequentOne) {
  const FunctionModel model = classifier({"10", "20", "30"});
  const Result result = explained(model, Value::object({{"target", "y"}}));
  EXPECT_EQ(to_json(*result.data.find("shown_class")), R"({"name":"30","why":"the most frequent class of the data"})");
  EXPECT_EQ(shown_output(result), "30");
  // Of the rows that are used.
  EXPECT_EQ(shown_output(explained(model, Value::object({{"target", "y"}, {"where", "x in (2, 3, 5)"}}))), "20");
  // Of groups it is that of all rows.
  EXPECT_EQ(shown_output(explained(model, Value::object({{"target", "y"}, {"by", "x"}}))), "30");
}

TEST(ShownClass, OfTwoIsTheSecond) {
  const Result result = explained(classifier({"no", "yes"}), Value::object());
  EXPECT_EQ(to_json(*result.data.find("shown_class")), R"({"name":"yes","why":"the second of two classes"})");
  EXPECT_EQ(shown_output(result), "yes");
}

TEST(ShownClass, IsNotNamedWhereNothingSaysIt) {
  const FunctionModel model = classifier({"10", "20", "30"});
  for (const Value& options : {Value::object(), Value::object({{"target", "y"}, {"output", "20"}})})
    EXPECT_EQ(explained(model, options).data.find("shown_class"), nullptr);
  EXPECT_EQ(shown_output(explained(model, Value::object())), "10");
  // A target that is about something else.
  const FunctionModel other = classifier({"a", "b", "c"});
  EXPECT_EQ(explained(other, Value::object({{"target", "y"}})).data.find("shown_class"), nullptr);
}

}  // namespace
}  // namespace sightglass
