#include "sightglass/methods/losses/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

MethodInput input_of(Task task, std::vector<std::string> outputs, ColumnInfo target = {.name = "y"}) {
  MethodInput input;
  target.name = "y";
  input.schema = Schema({std::move(target)});
  input.target = 0;
  input.task = task;
  input.outputs = std::move(outputs);
  for (std::size_t k = 0; k < input.outputs.size(); ++k) input.explained.push_back(k);
  return input;
}

ColumnInfo text_column(std::vector<std::string> levels) {
  return {.type = DType::categorical, .dictionary = std::make_shared<Dictionary>(std::move(levels))};
}

double loss_of(const MethodInput& input, std::string_view name, const std::vector<double>& target,
               const std::vector<std::vector<double>>& predictions, const std::vector<double>& weights = {}) {
  const LossInfo& info = loss_info(name);
  const Outcome outcome(input, info.of_classes, target);
  const Loss loss(info, outcome);
  LossSum sum(loss);
  std::vector<double> terms(loss.width()), truths, one_by_one, all;
  for (std::size_t row = 0; row < target.size(); ++row) {
    const double truth = outcome.truth(target[row]);
    if (std::isnan(truth)) continue;
    loss.terms(predictions[row], truth, terms);
    sum.add(terms, truth, weights.empty() ? 1 : weights[row]);
    truths.push_back(truth);
    one_by_one.push_back(terms[0]);
    all.insert(all.end(), predictions[row].begin(), predictions[row].end());
  }
  if (loss.width() == 1) {
    std::vector<double> together(truths.size());
    const MatrixSpan<const double> matrix(all.data(), truths.size(), predictions[0].size());
    loss.terms_of_rows(matrix, truths, together.data());
    EXPECT_EQ(together, one_by_one) << "many rows at a time give the same numbers";
  }
  return sum.value();
}

double binary(std::string_view name, const std::vector<double>& target, const std::vector<double>& predictions) {
  std::vector<std::vector<double>> rows;
  for (const double prediction : predictions) rows.push_back({prediction});
  return loss_of(input_of(Task::binary, {"prediction"}), name, target, rows);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message() + " | " + error.advice();
  }
  return "no error";
}

TEST(Losses, EqualScikitLearn) {
  std::ifstream file(SIGHTGLASS_SOURCE_DIR "/tests/golden/importance/losses.json");
  std::stringstream text;
  text << file.rdbuf();
  const Value golden = value_from_json(text.str(), "losses.json");
  const auto numbers = [](const Value& values) {
    std::vector<double> list;
    for (const Value& value : values.as_array()) list.push_back(value.as_number());
    return list;
  };
  const std::vector<double> weights = numbers(*golden.find("weights"));
  std::size_t cases = 0;
  for (const Value& each : golden.find("cases")->as_array()) {
    const std::string& loss = each.find("loss")->as_string();
    const std::string& truth = each.find("truth")->as_string();
    const Value& predictions = *golden.find(each.find("predictions")->as_string());
    std::vector<std::vector<double>> rows;
    for (const Value& row : predictions.as_array())
      rows.push_back(row.is_array() ? numbers(row) : std::vector<double>{row.as_number()});
    const Task task = truth == "two" ? Task::binary : truth == "three" ? Task::multiclass : Task::regression;
    const MethodInput input =
        task == Task::multiclass ? input_of(task, {"0", "1", "2", "3"}) : input_of(task, {"prediction"});
    const bool weighted = each.find("weighted")->as_bool();
    const double wanted = each.find("value")->as_number();
    const double ours =
        loss_of(input, loss, numbers(*golden.find(truth)), rows, weighted ? weights : std::vector<double>{});
    EXPECT_NEAR(ours, wanted, 1e-12 * std::max(1.0, std::abs(wanted))) << loss << " of " << truth << " " << weighted;
    ++cases;
  }
  EXPECT_EQ(cases, 38U);
}

TEST(Losses, LiteralNumbers) {
  const MethodInput regression = input_of(Task::regression, {"prediction"});
  const std::vector<double> y = {1, 2, 4};
  const std::vector<std::vector<double>> f = {{1}, {4}, {3}};
  EXPECT_DOUBLE_EQ(loss_of(regression, "squared", y, f), 5.0 / 3);
  EXPECT_DOUBLE_EQ(loss_of(regression, "absolute", y, f), 1);
  EXPECT_DOUBLE_EQ(loss_of(regression, "rmse", y, f), std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(loss_of(regression, "r2", y, f), 1 - 5.0 / (14.0 / 3));
  EXPECT_DOUBLE_EQ(loss_of(regression, "poisson", {0, 2}, {{0.5}, {2}}), 0.5);
  EXPECT_DOUBLE_EQ(loss_of(regression, "squared", y, f, {1, 0, 3}), 3.0 / 4);
  EXPECT_DOUBLE_EQ(binary("log-loss", {0, 1}, {0.5, 0.25}), (std::log(2) + std::log(4)) / 2);
  EXPECT_DOUBLE_EQ(binary("auc", {0, 0, 1, 1}, {0.1, 0.4, 0.4, 0.9}), 3.5 / 4);
  EXPECT_DOUBLE_EQ(binary("accuracy", {0, 1, 1}, {0.5, 0.5, 0.6}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(binary("f1", {0, 1, 1}, {0.7, 0.2, 0.6}), 0.5);
  EXPECT_DOUBLE_EQ(binary("brier", {0, 1}, {0.5, 0.75}), (0.25 + 0.0625) / 2);
}

TEST(Losses, ExtremesAreClippedAsInScikitLearn) {
  EXPECT_DOUBLE_EQ(binary("log-loss", {1}, {0}), -std::log(std::numeric_limits<double>::epsilon()));
  EXPECT_DOUBLE_EQ(binary("log-loss", {0}, {0}), -std::log(1 - std::numeric_limits<double>::epsilon()));
}

TEST(Losses, OneClassOrAConstantTruthGiveConventions) {
  EXPECT_EQ(binary("auc", {1, 1}, {0.2, 0.9}), 0.5);
  EXPECT_EQ(binary("f1", {0, 0}, {0.2, 0.3}), 0);
  const MethodInput regression = input_of(Task::regression, {"prediction"});
  EXPECT_EQ(loss_of(regression, "r2", {2, 2}, {{2}, {2}}), 1);
  EXPECT_EQ(loss_of(regression, "r2", {2, 2}, {{2}, {3}}), 0);
  const Outcome constant(regression, false, {2});
  ASSERT_EQ(constant.caveats().size(), 1U);
  EXPECT_EQ(constant.caveats()[0].id, "constant-target");
  const Outcome one(input_of(Task::binary, {"prediction"}), true, {1});
  ASSERT_EQ(one.caveats().size(), 1U);
  EXPECT_EQ(one.caveats()[0].id, "one-class");
}

TEST(Losses, MergeExactlyInAnyOrderAndThroughBytes) {
  std::mt19937_64 random(5);
  const MethodInput input = input_of(Task::multiclass, {"0", "1", "2"});
  const Outcome outcome(input, true, {0, 1, 2});
  for (const char* name : {"log-loss", "brier", "auc", "accuracy", "f1"}) {
    const Loss loss(loss_info(name), outcome);
    std::vector<LossSum> parts(4, LossSum(loss));
    LossSum whole(loss);
    std::vector<double> terms(loss.width());
    for (int row = 0; row < 200; ++row) {
      const double a = static_cast<double>(random() % 5) / 10, b = static_cast<double>(random() % 5) / 10;
      const auto truth = static_cast<double>(random() % 3);
      const double weight = static_cast<double>(random() % 100) / 7;
      loss.terms(std::vector<double>{a, b, 1 - a - b}, truth, terms);
      parts[random() % 4].add(terms, truth, weight);
      whole.add(terms, truth, weight);
    }
    LossSum merged(loss);
    for (const std::size_t part : {2, 0, 3, 1}) {
      ByteSink sink;
      parts[part].save(sink);
      ByteSource source(sink.bytes());
      LossSum loaded(loss);
      loaded.load(source);
      EXPECT_TRUE(source.done());
      merged.merge(loaded);
    }
    EXPECT_EQ(merged.value(), whole.value()) << name;
  }
}

TEST(Losses, ClassesAreMatchedByNameNumberAndTruth) {
  const auto truths = [](const MethodInput& input, const std::vector<double>& values) {
    const Outcome outcome(input, true, values);
    std::vector<double> found;
    for (const double value : values) found.push_back(outcome.truth(value));
    return found;
  };
  using Truths = std::vector<double>;
  EXPECT_EQ(truths(input_of(Task::binary, {"prediction"}), {0, 1}), (Truths{0, 1}));
  EXPECT_EQ(truths(input_of(Task::binary, {"2"}), {1, 2}), (Truths{0, 1}));
  EXPECT_EQ(truths(input_of(Task::binary, {"2"}), {1}), (Truths{0}));
  EXPECT_EQ(truths(input_of(Task::binary, {"1"}), {-1, 1}), (Truths{0, 1}));
  EXPECT_EQ(truths(input_of(Task::binary, {"True"}, {.type = DType::boolean}), {0, 1}), (Truths{0, 1}));
  EXPECT_EQ(truths(input_of(Task::binary, {"prediction"}, {.type = DType::boolean}), {0, 1}), (Truths{0, 1}));
  EXPECT_EQ(truths(input_of(Task::binary, {"female"}, text_column({"female", "male"})), {0, 1}), (Truths{1, 0}));
  EXPECT_EQ(truths(input_of(Task::binary, {"female"}, text_column({"female", "male"})), {1}), (Truths{0}));
  EXPECT_EQ(truths(input_of(Task::binary, {"prediction"}, text_column({"0", "1"})), {0, 1}), (Truths{0, 1}));
  EXPECT_EQ(
      truths(input_of(Task::multiclass, {"red", "blue", "green"}, text_column({"blue", "green", "red"})), {0, 1, 2}),
      (Truths{1, 2, 0}));
  EXPECT_EQ(truths(input_of(Task::multiclass, {"1", "2", "5"}), {1, 5}), (Truths{0, 2}));
  // Codes where names are no numbers, said aloud.
  const Outcome codes(input_of(Task::multiclass, {"red", "blue", "green"}), true, {0, 2});
  EXPECT_EQ(codes.truth(2), 2);
  ASSERT_EQ(codes.caveats().size(), 1U);
  EXPECT_EQ(codes.caveats()[0].id, "target-codes");
  const Outcome female(input_of(Task::binary, {"female"}), true, {0, 1});
  EXPECT_EQ(female.truth(1), 1);
  EXPECT_EQ(female.caveats()[0].id, "target-codes");
}

TEST(Losses, AChosenClassStandsAgainstTheRest) {
  MethodInput input = input_of(Task::multiclass, {"0", "1", "2"});
  input.explained = {2};
  const std::vector<std::vector<double>> f = {{0.1, 0.1, 0.8}, {0.5, 0.1, 0.4}, {0.2, 0.5, 0.3}};
  EXPECT_DOUBLE_EQ(loss_of(input, "brier", {2, 0, 1}, f), (0.04 + 0.16 + 0.09) / 3);
  EXPECT_EQ(Outcome(input, true, {0, 1, 2}).output_name(), "2");
}

TEST(Losses, SayWhatDoesNotFit) {
  const auto fails = [](const MethodInput& input, std::string_view loss, const std::vector<double>& values) {
    return message_of([&] {
      const Outcome outcome(input, loss_info(loss).of_classes, values);
      const Loss made(loss_info(loss), outcome);
    });
  };
  EXPECT_THAT(fails(input_of(Task::binary, {"prediction"}, text_column({"no", "yes"})), "log-loss", {0, 1}),
              ::testing::AllOf(HasSubstr("values are no, yes"), HasSubstr("classes are 0 and 1"),
                               HasSubstr("order as classes, or")));
  // A function that may predict numbers or a probability.
  for (const char* loss : {"rmse", "log-loss"}) {
    EXPECT_THAT(fails(input_of(Task::regression, {"prediction"}, text_column({"no", "yes"})), loss, {0, 1}),
                ::testing::AllOf(HasSubstr("holds text (no, yes)"), HasSubstr("in the model's order as classes;")));
  }
  EXPECT_THAT(fails(input_of(Task::regression, {"prediction"}), " auc ", {0.5, 1, 2}),
              ::testing::AllOf(HasSubstr("auc, accuracy and f1 are losses of classes"), HasSubstr("| use rmse")));
  EXPECT_THAT(fails(input_of(Task::regression, {"prediction"}), "auc", {1, 2}), HasSubstr("as classes"));
  EXPECT_THAT(fails(input_of(Task::binary, {"1"}), "log-loss", {0, 1, 2}), HasSubstr("values are 0, 1, 2"));
  EXPECT_THAT(fails(input_of(Task::multiclass, {"a", "b", "c"}, text_column({"a", "d"})), "auc", {0, 1}),
              ::testing::AllOf(HasSubstr("values are a, d"), HasSubstr("classes are a, b, c")));
  EXPECT_THAT(fails(input_of(Task::multiclass, {"0", "1", "2"}), "squared", {0, 1}), HasSubstr("predicts no number"));
  EXPECT_THAT(fails(input_of(Task::regression, {"a", "b"}), "rmse", {0, 1}), HasSubstr("several outputs"));
  EXPECT_THAT(fails(input_of(Task::regression, {"prediction"}, text_column({"x"})), "rmse", {0}),
              HasSubstr("holds text"));
  EXPECT_THAT(fails(input_of(Task::regression, {"prediction"}), "rmse", {NAN}), HasSubstr("no value in any row"));
  MethodInput margin = input_of(Task::binary, {"prediction"});
  margin.scale = Scale::margin;
  EXPECT_THAT(fails(margin, "log-loss", {0, 1}), HasSubstr("scale margin"));
  EXPECT_EQ(fails(margin, "auc", {0, 1}), "no error");
  MethodInput none = input_of(Task::regression, {"prediction"});
  none.target.reset();
  EXPECT_THAT(fails(none, "rmse", {1}), HasSubstr("with target"));
  EXPECT_THAT(message_of([] { (void)loss_info("loglos"); }), HasSubstr("log-loss"));
  EXPECT_THAT(message_of([] { (void)binary("log-loss", {0, 1}, {0.5, 3}); }), HasSubstr("needs probabilities"));
  const MethodInput regression = input_of(Task::regression, {"prediction"});
  EXPECT_THAT(message_of([&] { (void)loss_of(regression, "poisson", {-1, 1}, {{1}, {1}}); }), HasSubstr("negative"));
  EXPECT_THAT(message_of([&] { (void)loss_of(regression, "poisson", {2, 1}, {{0}, {1}}); }), HasSubstr("above 0"));
}

TEST(Losses, NamesOfOtherLibraries) {
  const std::pair<const char*, LossKind> names[] = {
      {"mae", LossKind::absolute},      {"neg_mean_absolute_error", LossKind::absolute},
      {"mse", LossKind::squared},       {"neg_root_mean_squared_error", LossKind::rmse},
      {"roc_auc", LossKind::auc},       {"neg_log_loss", LossKind::log_loss},
      {"logloss", LossKind::log_loss},  {"neg_brier_score", LossKind::brier},
      {"r2_score", LossKind::r2},       {"neg_mean_poisson_deviance", LossKind::poisson},
      {"log-loss", LossKind::log_loss},
  };
  for (const auto& [name, kind] : names) EXPECT_EQ(loss_info(name).kind, kind) << name;
  for (const char* name : {"neg", "neg-", "neg_", "balanced_accuracy", ""}) EXPECT_THROW((void)loss_info(name), Error);
}

TEST(Losses, SkillOverAConstant) {
  const auto constant_of = [](const MethodInput& input, const char* name, const std::vector<double>& target) {
    const LossInfo& info = loss_info(name);
    const Outcome outcome(input, info.of_classes, target);
    const Loss loss(info, outcome);
    const std::vector<double> weights(target.size(), 1.0);
    LossSum sum(loss);
    std::vector<double> terms(loss.width());
    const auto prediction = loss.best_constant(target, weights);
    for (const double truth : target) {
      loss.terms(prediction, truth, terms);
      sum.add(terms, truth, 1);
    }
    return sum.value();
  };
  const MethodInput regression = input_of(Task::regression, {"prediction"});
  EXPECT_DOUBLE_EQ(constant_of(regression, "squared", {1, 2, 6}), 14.0 / 3);
  EXPECT_DOUBLE_EQ(constant_of(regression, "absolute", {1, 2, 6}), 5.0 / 3);
  EXPECT_DOUBLE_EQ(constant_of(regression, "r2", {1, 2, 6}), 0);
  const MethodInput two = input_of(Task::binary, {"prediction"});
  EXPECT_DOUBLE_EQ(constant_of(two, "accuracy", {0, 0, 1}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(constant_of(two, "auc", {0, 0, 1}), 0.5);
  EXPECT_DOUBLE_EQ(constant_of(two, "f1", {0, 0, 1}), 0.5);
  const MethodInput three = input_of(Task::multiclass, {"0", "1", "2"});
  EXPECT_DOUBLE_EQ(constant_of(three, "log-loss", {0, 0, 1, 2}), 1.5 * std::log(2));
  const Outcome outcome(regression, false, {1, 2});
  const Loss rmse(loss_info("rmse"), outcome);
  EXPECT_DOUBLE_EQ(*rmse.skill(1, 4), 0.75);
  EXPECT_FALSE(rmse.skill(1, 0).has_value());
  EXPECT_DOUBLE_EQ(*Loss(loss_info("r2"), outcome).skill(0.7, 0), 0.7);
}

}  // namespace
}  // namespace sightglass
