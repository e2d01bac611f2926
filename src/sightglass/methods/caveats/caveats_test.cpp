#include "sightglass/methods/caveats/caveats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/take_chain.h"

namespace sightglass {
namespace {

using testing::FunctionModel;

std::vector<const Caveat*> caveats_of(const Result& result, std::string_view id) {
  std::vector<const Caveat*> found;
  for (const Caveat& caveat : result.caveats) {
    if (caveat.id == id) found.push_back(&caveat);
  }
  return found;
}

Table numbers(const std::vector<std::pair<std::string, std::vector<double>>>& columns) {
  std::vector<ColumnInfo> infos;
  std::vector<Column> values;
  for (const auto& [name, column] : columns) {
    infos.push_back({.name = name});
    values.push_back(column_of(column));
  }
  return Table(Schema(std::move(infos)), std::move(values));
}

std::vector<double> drawn(std::mt19937_64& random, std::size_t rows, double scale = 1) {
  std::normal_distribution<double> normal;
  std::vector<double> values(rows);
  for (double& value : values) value = scale * normal(random);
  return values;
}

Result explain(const Table& table, const testing::RowFunction& function, Value options = Value::object(),
               const std::string& method = "partial-dependence", const std::vector<std::string>& not_features = {}) {
  std::vector<std::string> features;
  for (const auto& column : table.schema().columns()) {
    if (std::find(not_features.begin(), not_features.end(), column.name) == not_features.end())
      features.push_back(column.name);
  }
  const FunctionModel model(features, function);
  Context context(2);
  return run(method, model, table, options, context);
}

const Curve& curve_of(const Result& result, std::size_t at = 0) { return result.results[at].get<Curve>(); }

// A shape that caveats do not know by name: it says itself which features it is about.
struct Verdict {
  static constexpr std::string_view type = "verdict";
  std::string output, group;
  std::vector<std::string> about;
};
void describe_fields(Verdict&, Fields&) {}
void tidy_rows(const Verdict&, TidyRows&) {}
ItemFeatures item_features(const Verdict& verdict) { return {FeatureUse::importance, {verdict.about}}; }

TEST(Caveats, AShapeSaysItselfWhichFeaturesItIsAbout) {
  std::mt19937_64 random(8);
  const auto x = drawn(random, 500), noise = drawn(random, 500, 0.01), z = drawn(random, 500);
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + noise[i];
  const Table table = numbers({{"x", x}, {"y {", y}, {"z", z}});
  const FunctionModel model({"x", "y {", "z"}, [](const auto& row) { return std::vector<double>{row[0] + row[1]}; });
  MethodEntry entry{.name = "verdicts"};
  entry.start = [](const MethodInput& input, const Value&) -> Chain<Result> {
    return draw_rows(input, {0}, 0, 1).then([](const RowSample&) {
      Result result;
      result.results.emplace_back(Verdict{.output = "", .group = "", .about = {"x"}});
      return result;
    });
  };
  Context context(2);
  const RunSession session(model, table, RunOptions{}, context);
  const Result result = session.run(entry);
  const auto found = caveats_of(result, "correlated-features");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0]->message.plain().starts_with("x and y { go together (Spearman correlation "));
  EXPECT_TRUE(
      found[0]->message.plain().ends_with("one can stand in for the other, and changing one alone makes rows "
                                          "that do not occur"));
  // Both are references, whatever their names.
  ASSERT_EQ(found[0]->message.references().size(), 2U);
  EXPECT_EQ(found[0]->message.references()[1].name, "y {");
  EXPECT_EQ(caveats_of(result, "extrapolation").size(), 1U);
}

TEST(Caveats, ManyIndependentFeaturesAreNotSaidToExtrapolate) {
  // One row more than tenths have, so that a single empty cell of deciles would be above the threshold.
  constexpr std::size_t rows = 801;
  std::mt19937_64 random(1);
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  for (int k = 0; k < 100; ++k) columns.emplace_back("x" + std::to_string(k), drawn(random, rows));
  const auto f = [](const std::vector<double>& x) { return std::vector<double>{x[0] + x[1]}; };
  EXPECT_TRUE(caveats_of(explain(numbers(columns), f, Value::object({{"grid", 3}})), "extrapolation").empty());
  // High values of two never come together.
  auto &first = columns[0].second, &second = columns[1].second;
  for (std::size_t i = 0; i < rows; ++i) {
    if (first[i] > 0.5 && second[i] > 0.5) second[i] -= 3;
  }
  const Result result = explain(numbers(columns), f,
                                Value::object({{"grid", 5}, {"features", std::vector<std::string>{"x0", "x1", "x2"}}}));
  const auto found = caveats_of(result, "extrapolation");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->evidence.find("other")->as_string(), "x1");
  EXPECT_EQ(found[1]->evidence.find("other")->as_string(), "x0");
}

TEST(Caveats, FeaturesThatGoTogetherAreNamedWithTheirNumbers) {
  std::mt19937_64 random(1);
  const auto a = drawn(random, 800), free = drawn(random, 800), noise = drawn(random, 800, 0.2);
  std::vector<double> b(a);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = -a[i] + noise[i];
  const Table table = numbers({{"a", a}, {"b", b}, {"free", free}});
  const auto f = [](const std::vector<double>& x) { return std::vector<double>{x[0] + x[1] + x[2]}; };

  const Result result = explain(table, f);
  const auto found = caveats_of(result, "correlated-features");
  ASSERT_EQ(found.size(), 1U) << "a with b is told once";
  EXPECT_EQ(found[0]->severity, Severity::caution);
  EXPECT_EQ(found[0]->evidence.find("feature")->as_string(), "a");
  EXPECT_EQ(found[0]->evidence.find("other")->as_string(), "b");
  EXPECT_EQ(found[0]->evidence.find("measure")->as_string(), "spearman");
  EXPECT_GT(found[0]->evidence.find("lower")->as_number(), 0.95);
  EXPECT_LT(found[0]->evidence.find("lower")->as_number(), found[0]->evidence.find("value")->as_number());
  EXPECT_EQ(found[0]->evidence.find("threshold")->as_number(), 0.6);
  EXPECT_NE(found[0]->advice.plain().find("ale"), std::string::npos);
  // Where no data are: high a with high b.
  const auto outside = caveats_of(result, "extrapolation");
  ASSERT_EQ(outside.size(), 2U);
  EXPECT_EQ(outside[0]->evidence.find("other")->as_string(), "b");
  const Curve& curve = curve_of(result);
  ASSERT_EQ(curve.outside.size(), curve.mean.size());
  EXPECT_GT(curve.outside.front(), 0.3);
  EXPECT_EQ(curve.extrapolated.front(), 0U);
  EXPECT_EQ(curve.extrapolated.back(), curve.mean.size() - 1);
  EXPECT_TRUE(curve_of(result, 2).extrapolated.empty());

  EXPECT_TRUE(
      caveats_of(explain(table, f, Value::object({{"correlation_threshold", 0.999}})), "correlated-features").empty());
  EXPECT_TRUE(
      caveats_of(explain(table, f, Value::object({{"extrapolation_threshold", 1.0}})), "extrapolation").empty());
  EXPECT_EQ(result.options.find("correlation_threshold")->as_number(), 0.6);
  // The free one alone has nothing to be said.
  const Result alone = explain(table, f, Value::object({{"features", "free"}}));
  EXPECT_TRUE(caveats_of(alone, "correlated-features").empty());
  // A surface of the two is empty in its corners.
  const Result pair = explain(table, f, Value::object({{"pairs", "a:b"}}));
  ASSERT_EQ(caveats_of(pair, "extrapolation").size(), 1U);
  EXPECT_GT(caveats_of(pair, "extrapolation")[0]->evidence.find("share")->as_number(), 0.3);
}

TEST(Caveats, ManyFindingsAreOneSentence) {
  std::mt19937_64 random(2);
  const auto common = drawn(random, 500);
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  for (int j = 0; j < 10; ++j) {
    auto column = drawn(random, 500, 0.1 * (j + 1));
    for (std::size_t i = 0; i < column.size(); ++i) column[i] += common[i];
    columns.emplace_back("feature " + std::to_string(j), column);
  }
  const Result result = explain(numbers(columns), [](const std::vector<double>& x) {
    double product = 1;
    for (const double each : x) product *= each;
    return std::vector<double>{product};
  });
  for (const char* id : {"correlated-features", "extrapolation", "hidden-heterogeneity", "sparse-region"}) {
    const auto found = caveats_of(result, id);
    ASSERT_EQ(found.size(), 1U) << id;
    ASSERT_NE(found[0]->evidence.find("features"), nullptr);
    EXPECT_GE(found[0]->evidence.find("features")->as_array().size(), 4U);
    EXPECT_LT(found[0]->message.plain().size(), 500U) << found[0]->message.plain();
  }
}

TEST(Caveats, FewRowsAreNamedByRangeAndLevel) {
  std::vector<double> tail, level;
  std::vector<std::int32_t> codes;
  for (int i = 0; i < 4000; ++i) {
    tail.push_back(i < 3985 ? i % 40 : 80 + i % 3);
    codes.push_back(i < 3990 ? i % 2 : 2);
  }
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"dry", "wet", "hail"});
  const Table table(
      Schema({{.name = "wind"}, {.name = "weather", .type = DType::categorical, .dictionary = dictionary}}),
      {column_of(tail), column_of(codes, dictionary.get())});
  const auto f = [](const std::vector<double>& x) { return std::vector<double>{x[0] + x[1]}; };
  const Result result = explain(table, f);
  const auto found = caveats_of(result, "sparse-region");
  ASSERT_EQ(found.size(), 2U);
  // Half way between 39, where there are enough, and 80: where the shading starts, too.
  EXPECT_TRUE(found[0]->message.plain().starts_with("wind above 59.5:")) << found[0]->message.plain();
  const Value& ranges = *found[0]->evidence.find("ranges");
  ASSERT_EQ(ranges.as_array().size(), 1U);
  EXPECT_EQ(ranges.as_array()[0], Value(std::vector<double>{59.5, 82}));
  EXPECT_TRUE(found[1]->message.plain().starts_with("weather = hail")) << found[1]->message.plain();
  EXPECT_EQ(found[0]->evidence.find("threshold")->as_number(), 20);  // 0.5 % of 4000
  EXPECT_EQ(curve_of(result).sparse, (std::vector<std::uint64_t>{40, 41, 42}));
  EXPECT_EQ(curve_of(result, 1).sparse, (std::vector<std::uint64_t>{2}));
  EXPECT_TRUE(caveats_of(explain(table, f, Value::object({{"sparse_share", 0.0}})), "sparse-region").empty());
  // ICE has the same places.
  const Result ice = explain(table, f, Value::object(), "ice");
  ASSERT_EQ(caveats_of(ice, "sparse-region").size(), 2U);
  EXPECT_EQ(caveats_of(ice, "sparse-region")[0]->message.plain(), found[0]->message.plain());
}

TEST(Caveats, OppositeHalvesMakeAFlatCurveThatHidesThem) {
  std::mt19937_64 random(3);
  const auto x = drawn(random, 600);
  std::vector<double> half(600);
  for (std::size_t i = 0; i < half.size(); ++i) half[i] = i % 2 == 0 ? -1 : 1;
  const Table table = numbers({{"x", x}, {"half", half}});
  const auto f = [](const std::vector<double>& row) { return std::vector<double>{row[0] * row[1]}; };
  const Result pdp = explain(table, f, Value::object({{"features", "x"}}));
  EXPECT_EQ(curve_of(pdp).shape, CurveShape::constant);
  const auto hidden = caveats_of(pdp, "hidden-heterogeneity");
  ASSERT_EQ(hidden.size(), 1U);
  EXPECT_NEAR(hidden[0]->evidence.find("value")->as_number(), 1, 1e-9);
  EXPECT_NE(hidden[0]->advice.plain().find("ice with the option center"), std::string::npos);
  const Result ice = explain(table, f, Value::object({{"features", "x"}, {"center", true}}), "ice");
  EXPECT_EQ(caveats_of(ice, "hidden-heterogeneity").size(), 1U);
  // Centred at the left end, half of the curves rise and half of them fall.
  const auto& curves = ice.results[0].get<Curves>();
  const auto rising =
      std::count_if(curves.values.begin(), curves.values.end(), [](const auto& c) { return c.back() > 1; });
  const auto falling =
      std::count_if(curves.values.begin(), curves.values.end(), [](const auto& c) { return c.back() < -1; });
  EXPECT_GT(rising, 90);
  EXPECT_GT(falling, 90);
  EXPECT_EQ(static_cast<std::size_t>(rising + falling), curves.values.size());
}

TEST(Caveats, AnAdditiveModelNeverHidesAnything) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::pair<std::string, std::vector<double>>> columns;
    std::vector<double> scale, wave;
    for (int j = 0; j < 4; ++j) {
      columns.emplace_back("x" + std::to_string(j),
                           drawn(random, 120, std::pow(10.0, static_cast<double>(random() % 9) - 4)));
      // Effects of very different sizes beside one another, also such as vanish in rounding.
      scale.push_back(std::pow(10.0, static_cast<double>(random() % 24) - 16));
      wave.push_back(static_cast<double>(random() % 5));
    }
    const double offset = seed % 3 == 0 ? 0 : std::pow(10.0, static_cast<double>(random() % 8));
    const bool single = seed % 2 == 0;  // a model that computes in float32
    const auto f = [=](const std::vector<double>& x) {
      double sum = offset;
      for (std::size_t j = 0; j < x.size(); ++j) {
        sum += scale[j] * (x[j] + std::sin(wave[j] * x[j]));
        if (single) sum = static_cast<float>(sum);
      }
      return std::vector<double>{sum};
    };
    for (const char* method : {"partial-dependence", "ice"}) {
      const Result result = explain(numbers(columns), f, Value::object({{"grid", 12}}), method);
      EXPECT_TRUE(caveats_of(result, "hidden-heterogeneity").empty()) << seed << method;
    }
  }
}

TEST(Caveats, AModelThatKnowsNothingIsWeak) {
  std::mt19937_64 random(4);
  const auto x = drawn(random, 500), noise = drawn(random, 500);
  std::vector<double> y(x);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += 0.5 * noise[i];
  const Table good = numbers({{"x", x}, {"y", y}}), bad = numbers({{"x", x}, {"y", noise}});
  const auto f = [](const std::vector<double>& row) { return std::vector<double>{row[0]}; };
  const Value options = Value::object({{"target", "y"}});
  EXPECT_TRUE(caveats_of(explain(good, f, options, "ice", {"y"}), "weak-model").empty());
  const Result weak = explain(bad, f, options, "partial-dependence", {"y"});
  ASSERT_EQ(caveats_of(weak, "weak-model").size(), 1U);
  const Caveat& caveat = *caveats_of(weak, "weak-model")[0];
  EXPECT_EQ(caveat.severity, Severity::warning);
  double ss = 0, mean = 0, total = 0;
  for (const double value : noise) mean += value / 500;
  for (std::size_t i = 0; i < 500; ++i) {
    ss += (noise[i] - x[i]) * (noise[i] - x[i]);
    total += (noise[i] - mean) * (noise[i] - mean);
  }
  EXPECT_NEAR(caveat.evidence.find("value")->as_number(), 1 - ss / total, 1e-12);
  EXPECT_EQ(caveat.evidence.find("rows")->as_integer(), 500);
  const Result few =
      explain(bad, f, Value::object({{"target", "y"}, {"skill_rows", 100}}), "partial-dependence", {"y"});
  EXPECT_EQ(caveats_of(few, "weak-model")[0]->evidence.find("rows")->as_integer(), 100);
  // A target that never varies, one that is always missing: nothing to be better at.
  for (const double same : {2.5, static_cast<double>(NAN)}) {
    const Table odd = numbers({{"x", x}, {"y", std::vector<double>(500, same)}});
    EXPECT_TRUE(caveats_of(explain(odd, f, options, "partial-dependence", {"y"}), "weak-model").empty());
  }
}

// The skill of a classifier, as run() would measure it.
std::optional<ModelSkill> skill_of(const Table& table, Task task, std::vector<std::string> outputs,
                                   const testing::RowFunction& f) {
  const FunctionModel model({"x"}, f, outputs);
  Context context(1);
  Evaluator evaluator(model, table, {}, {}, context);
  std::vector<std::size_t> all(outputs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const MethodInput input{.schema = table.schema(),
                          .features = evaluator.columns(),
                          .outputs = outputs,
                          .explained = all,
                          .task = task,
                          .target = 1,
                          .rows = table.rows()};
  SkillRows rows;
  for (std::uint64_t id = 0; id < table.rows(); ++id) {
    rows.ids.push_back(id);
    rows.targets.push_back(table.column(1).number(id));
    rows.weights.push_back(1);
  }
  const std::vector<Table> parts{table.slice(0, 3), table.slice(3, table.rows() - 3)};
  return *testing::take_chain(measure_skill(input, rows), parts, evaluator, 2).value;
}

TEST(Caveats, SkillOfClassesIsInLogLoss) {
  const std::vector<double> x{0.9, 0.8, 0.3, 0.2, 0.1, 0.6};
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"female", "male"});
  const Table named(Schema({{.name = "x"}, {.name = "sex", .type = DType::categorical, .dictionary = dictionary}}),
                    {column_of(x), column_of(std::vector<std::int32_t>{0, 0, 1, 1, -1, 1}, dictionary.get())});
  const auto probability = [](const std::vector<double>& row) { return std::vector<double>{row[0]}; };
  // Five rows have a sex; two are female.
  const double loss = -(std::log(0.9) + std::log(0.8) + std::log(0.7) + std::log(0.8) + std::log(0.4)) / 5;
  const double constant = -(0.4 * std::log(0.4) + 0.6 * std::log(0.6));
  const auto skill = skill_of(named, Task::binary, {"female"}, probability);
  ASSERT_TRUE(skill);
  EXPECT_EQ(skill->measure, "log-loss");
  EXPECT_EQ(skill->rows, 5U);
  EXPECT_NEAR(skill->skill, 1 - loss / constant, 1e-12);
  // Nobody knows which of the two an unnamed output is.
  EXPECT_FALSE(skill_of(named, Task::binary, {"prediction"}, probability));
  const Table coded = numbers({{"x", x}, {"y", {1, 1, 0, 0, NAN, 0}}});
  EXPECT_NEAR(skill_of(coded, Task::binary, {"prediction"}, probability)->skill, skill->skill, 1e-15);
  const Table other = numbers({{"x", x}, {"y", {1, 1, 7, 0, 0, 0}}});
  EXPECT_FALSE(skill_of(other, Task::binary, {"prediction"}, probability));
  // What is no probability has no log loss.
  EXPECT_FALSE(skill_of(coded, Task::binary, {"prediction"},
                        [](const std::vector<double>& row) { return std::vector<double>{row[0] * 10}; }));
  // Several classes, by name and by number.
  const auto shares = [](const std::vector<double>& row) {
    return std::vector<double>{row[0], (1 - row[0]) / 2, (1 - row[0]) / 2};
  };
  const Table classes = numbers({{"x", x}, {"y", {0, 0, 1, 2, 1, 2}}});
  const auto three = skill_of(classes, Task::multiclass, {"a", "b", "c"}, shares);
  ASSERT_TRUE(three);
  const double three_loss =
      -(std::log(0.9) + std::log(0.8) + std::log(0.35) + std::log(0.4) + std::log(0.45) + std::log(0.2)) / 6;
  EXPECT_NEAR(three->skill, 1 - three_loss / std::log(3), 1e-12);
  const Table tens = numbers({{"x", x}, {"y", {10, 10, 20, 30, 20, 30}}});
  EXPECT_NEAR(skill_of(tens, Task::multiclass, {"10", "20", "30"}, shares)->skill, three->skill, 1e-15);
}

TEST(Caveats, ClassesThatAreSwappedAreSaidToBe) {
  std::mt19937_64 random(8);
  const auto x = drawn(random, 400);
  const auto probability = [](const std::vector<double>& row) {
    return std::vector<double>{1 / (1 + std::exp(-3 * row[0]))};
  };
  std::vector<double> right, swapped, chance;
  for (std::size_t i = 0; i < x.size(); ++i) {
    right.push_back(x[i] > 0 ? 1 : 0);
    swapped.push_back(1 - right[i]);
    chance.push_back(static_cast<double>(random() % 2));
  }
  const auto skill = [&](const std::vector<double>& y) {
    return skill_of(numbers({{"x", x}, {"y", y}}), Task::binary, {"prediction"}, probability);
  };
  EXPECT_EQ(skill(swapped)->reversed_auc, 0.0);
  EXPECT_EQ(skill(right)->reversed_auc, std::nullopt);
  EXPECT_EQ(skill(chance)->reversed_auc, std::nullopt);
  // Of four rows any order may come by chance.
  const Table few = numbers({{"x", {-2, -1, 1, 2}}, {"y", {1, 1, 0, 0}}});
  EXPECT_EQ(skill_of(few, Task::binary, {"prediction"}, probability)->reversed_auc, std::nullopt);

  const FunctionModel model({"x"}, probability, {"prediction"}, Concurrency::parallel, Task::binary);
  const Table table = numbers({{"x", x}, {"y", swapped}});
  Context context(1);
  const Result told = RunSession(model, table, RunOptions{.target = "y"}, context).run(find_method("ice"));
  ASSERT_EQ(caveats_of(told, "weak-model").size(), 1U);
  EXPECT_NE(caveats_of(told, "weak-model")[0]->message.plain().find("two classes look swapped"), std::string::npos);
  EXPECT_EQ(caveats_of(told, "weak-model")[0]->evidence.find("auc")->as_number(), 0);
}

TEST(Caveats, AleAndMPlotAndImportanceAreSpokenOfDifferently) {
  std::mt19937_64 random(5);
  const auto a = drawn(random, 700);
  auto b = drawn(random, 700, 0.1);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] += a[i];
  const Table table = numbers({{"a", a}, {"b", b}});
  const FunctionModel model({"a", "b"}, [](const std::vector<double>& x) { return std::vector<double>{x[0]}; });
  Context context(1);
  const RunSession session(model, table, RunOptions(), context);
  (void)session.run(find_method("pdp"));
  const MethodInput& input = session.input();
  const auto attached = [&](ResultItem item, const std::string& method, bool training) {
    Result result;
    result.results.push_back(std::move(item));
    RunOptions options;
    options.training_data = training;
    attach_caveats(result, find_method(method), input, options, std::nullopt, context);
    return result;
  };
  const Axis axis{.feature = "a", .numbers = {-1, 0, 1}};
  const Result ale = attached(Curve{.axis = axis, .measure = Measure::effect, .mean = {0, 0, 0}}, "ale", true);
  ASSERT_EQ(caveats_of(ale, "correlated-features").size(), 1U);
  EXPECT_EQ(caveats_of(ale, "correlated-features")[0]->severity, Severity::note);
  EXPECT_TRUE(caveats_of(ale, "extrapolation").empty());
  EXPECT_TRUE(curve_of(ale).outside.empty());
  EXPECT_TRUE(caveats_of(ale, "training-data").empty());
  const Result m_plot = attached(Curve{.axis = axis, .mean = {0, 0, 0}}, "m-plot", false);
  EXPECT_EQ(caveats_of(m_plot, "correlated-features")[0]->severity, Severity::caution);
  EXPECT_TRUE(caveats_of(m_plot, "extrapolation").empty());
  const Result single = attached(Importance{.feature = "a", .features = {"a"}}, "permutation-importance", true);
  EXPECT_EQ(caveats_of(single, "correlated-features").size(), 1U);
  EXPECT_EQ(caveats_of(single, "extrapolation").size(), 1U);
  EXPECT_EQ(caveats_of(single, "training-data").size(), 1U);
  // Shuffled as one group they stay together.
  const Result group = attached(Importance{.feature = "both", .features = {"a", "b"}}, "permutation-importance", false);
  EXPECT_TRUE(group.caveats.empty());
  const Result interaction = attached(Interaction{.features = {"a", "b"}}, "interactions", false);
  EXPECT_EQ(caveats_of(interaction, "correlated-features").size(), 1U);
  EXPECT_EQ(caveats_of(interaction, "extrapolation").size(), 2U);
  // What is no feature is passed by: a loss over noise, a remainder.
  EXPECT_TRUE(attached(Curve{.axis = {.feature = "noise", .numbers = {0, 1}}, .measure = Measure::loss},
                       "permutation-importance", false)
                  .caveats.empty());
  EXPECT_TRUE(attached(Importance{.feature = "remainder"}, "decomposition", false).caveats.empty());
}

TEST(Caveats, PartsOfTheDataAddUpWithATarget) {
  std::mt19937_64 random(6);
  const auto x = drawn(random, 301), z = drawn(random, 301), y = drawn(random, 301);
  std::vector<double> w;
  for (std::size_t i = 0; i < 301; ++i) w.push_back(static_cast<double>(random() % 4) / 3);
  const Table table = numbers({{"x", x}, {"z", z}, {"y", y}, {"w", w}}).with_weights(3);
  const FunctionModel model({"x", "z"}, [](const std::vector<double>& v) { return std::vector<double>{v[0] * v[1]}; });
  const Value options = Value::object({{"target", "y"}, {"caveat_rows", 200}, {"skill_rows", 50}, {"batch", 16}});
  Context context(2);
  const std::string whole = to_json(run("pdp", model, table, options, context));
  EXPECT_NE(whole.find("weak-model"), std::string::npos);
  const RunSession session(model, table, read_options<RunOptions>(options), context);
  const std::vector<Table> parts{table.slice(200, 101), table.slice(0, 100), table.slice(100, 100)};
  EXPECT_EQ(to_json(testing::take_method(session, find_method("pdp"), Value::object(), parts)), whole);
}

TEST(Caveats, SamplingIsSaid) {
  std::mt19937_64 random(7);
  const auto a = drawn(random, 5000);
  const Table table = numbers({{"a", a}, {"b", a}});
  const Result result = explain(
      table, [](const std::vector<double>& x) { return std::vector<double>{x[0]}; },
      Value::object({{"caveat_rows", 1000}, {"grid", 5}}));
  const auto found = caveats_of(result, "correlated-features");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->evidence.find("rows")->as_integer(), 1000);
  EXPECT_EQ(found[0]->evidence.find("available")->as_integer(), 5000);
  EXPECT_NE(found[0]->message.plain().find("1000 of 5000 rows"), std::string::npos);
  EXPECT_NE(found[0]->advice.plain().find("caveat_rows 0"), std::string::npos);
}

// Whatever the method: a number that is not finite is never without a word.
TEST(Caveats, NumbersBeyondTheLargestAreSaid) {
  std::mt19937_64 random(8);
  const auto a = drawn(random, 60), b = drawn(random, 60), y = drawn(random, 60);
  const Table table = numbers({{"a", a}, {"b", b}, {"y", y}});
  const auto vast = [](const std::vector<double>& x) {
    return std::vector<double>{(x[0] > 0 ? 1.7e308 : -1.7e308) * (x[1] > 0 ? 1 : 0.5)};
  };
  std::size_t overflowed = 0;
  for (const MethodEntry& entry : methods()) {
    if (entry.needs.model == Need::none) continue;
    const Value options = entry.needs.target == Need::required ? Value::object({{"target", "y"}}) : Value::object();
    Result result;
    try {
      result = explain(table, vast, options, entry.name, {"y"});
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::internal) << entry.name;
      continue;
    }
    // Methods that show predictions as they are have no sums that could be too large.
    const std::string json = to_json(result);
    const bool finite = json.find("Infinity\"") == std::string::npos && json.find("\"NaN\"") == std::string::npos;
    EXPECT_EQ(caveats_of(result, "overflow").empty(), finite)
        << entry.name << ": let what is too large be infinite; the caveat then comes by itself";
    overflowed += finite ? 0 : 1;
  }
  EXPECT_GE(overflowed, 8U);
  const Result effects = explain(table, vast, Value::object({{"features", "a"}}), "partial-dependence", {"y"});
  ASSERT_EQ(caveats_of(effects, "overflow").size(), 1U);
  EXPECT_EQ(
      caveats_of(effects, "overflow")[0]->message.plain(),
      "predictions are so large that numbers made of them are beyond the largest that a computer holds: mean, sd, "
      "se_level and se_shape of a; nothing follows from these");
  // Not of infinite values in the data, nor of ordinary predictions.
  const Table infinite = numbers({{"a", {1, 2, INFINITY, 4}}, {"b", {1, 0, 2, 5}}});
  const auto plain = [](const std::vector<double>& x) { return std::vector<double>{std::min(x[0], 5.0) * x[1]}; };
  for (const char* method : {"partial-dependence", "ice", "shap"})
    EXPECT_TRUE(caveats_of(explain(infinite, plain, Value::object(), method), "overflow").empty()) << method;
}

TEST(Caveats, WrongThresholdsAreSaid) {
  const Table table = numbers({{"a", {1, 2, 3}}});
  const auto f = [](const std::vector<double>& x) { return std::vector<double>{x[0]}; };
  for (const char* name :
       {"correlation_threshold", "extrapolation_threshold", "sparse_share", "heterogeneity_threshold"}) {
    for (const double wrong : {-0.1, 1.5})
      EXPECT_THROW(explain(table, f, Value::object({{name, wrong}})), Error) << name;
  }
  for (const char* name : {"caveat_rows", "skill_rows", "sparse_rows"}) {
    EXPECT_THROW(explain(table, f, Value::object({{name, -1}})), Error) << name;
  }
  EXPECT_THROW(explain(table, f, Value::object({{"skill_threshold", 2.0}})), Error);
}

}  // namespace
}  // namespace sightglass
