// Reports without rows: no level that tells a single row apart is in any result, however it is spelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/data/table.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Texts = std::vector<std::string>;

constexpr std::size_t rows = 60;

// x is a number, kind has a level that the model does not know, and who has a level for every row.
Table people(const Texts& names) {
  std::vector<double> x(rows);
  std::vector<std::int32_t> who(rows), kind(rows);
  Texts levels = {"known"};
  for (std::size_t i = 1; i < rows; ++i)
    levels.push_back(i <= names.size() ? names[i - 1] : "somebody " + std::to_string(i));
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = static_cast<double>(i % 13);
    who[i] = static_cast<std::int32_t>(i);
    kind[i] = static_cast<std::int32_t>(i % 3);
  }
  const auto persons = std::make_shared<Dictionary>(levels);
  const auto kinds = std::make_shared<Dictionary>(Texts{"a", "b", "bare"});
  Schema schema({{.name = "x"},
                 {.name = "who", .type = DType::categorical, .dictionary = persons},
                 {.name = "kind", .type = DType::categorical, .dictionary = kinds}});
  return Table(std::move(schema), {column_of(std::move(x)), column_of(std::move(who), persons.get()),
                                   column_of(std::move(kind), kinds.get())});
}

// The sum of its features; of categories their codes.
class SumModel : public Model {
 public:
  SumModel() {
    signature_.format = "sum";
    signature_.features = {{.name = "x"},
                           {.name = "who", .categorical = true, .levels = {"known"}},
                           {.name = "kind", .categorical = true, .levels = {"a", "b"}}};
    signature_.outputs = {"prediction"};
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  void add_to(Digest&) const override {}
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    return std::make_unique<Bound>(match_columns(signature_, schema, excluded));
  }

 private:
  class Bound : public BoundModel {
   public:
    explicit Bound(FeatureColumns matched) : matched_(std::move(matched)) {
      for (const FeatureColumn& feature : matched_.features) columns_.push_back(feature.column);
    }
    [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
    [[nodiscard]] const std::vector<FitNote>& notes() const override { return matched_.notes; }
    void predict(const RowBlock& block, const PredictOptions&, MatrixSpan<double> out, Context&) const override {
      std::vector<double> values(block.rows);
      for (std::size_t row = 0; row < block.rows; ++row) out(row, 0) = 0;
      for (const FeatureColumn& feature : matched_.features) {
        feature.read(block, block.override_of(feature.column), 0, values);
        for (std::size_t row = 0; row < block.rows; ++row) out(row, 0) += values[row];
      }
    }

   private:
    FeatureColumns matched_;
    std::vector<std::uint32_t> columns_;
  };

  Signature signature_;
};

std::string told(const Texts& names, const Value& options) {
  Context context(1);
  std::string text;
  for (const Result& result : report(SumModel(), people(names), options, context)) text += to_json(result);
  return text;
}

const std::string of_kind = "column kind: the model does not know bare";

TEST(ReportPrivacy, NoNameIsToldHoweverItIsSpelled) {
  const Texts names = {
      "Patient Jane Doe number 0003 born 1970-01-01 in a town whose name is long",  // longer than messages show
      "Jane\nDoe\t\"quoted\" \\ {option:sample}",                                   // escaped on its way
      "Jürgen \xE2\x80\xAE Müller", "Jane|Doe"};
  for (const Value& options : {Value::object({{"no_rows", true}, {"budget", "0"}}),
                               // Of features that nobody asked about.
                               Value::object({{"no_rows", true}, {"budget", "0"}, {"features", Texts{"x", "kind"}}})}) {
    const std::string text = told(names, options);
    for (const char* part : {"Patient", "Jane", "Doe", "rgen", "ller", "1970", "somebody"})
      EXPECT_THAT(text, Not(HasSubstr(part)));
    EXPECT_THAT(text, HasSubstr(of_kind));
  }
  // With rows, it is said which levels the model does not know.
  EXPECT_THAT(told(names, Value::object({{"budget", "0"}})), HasSubstr("Patient Jane"));
}

// "" and "a" are in every sentence: what these say of other columns stays.
TEST(ReportPrivacy, ShortAndEmptyLevelsEraseNothingElse) {
  const std::string text = told({"", "a", "e", "column"}, Value::object({{"no_rows", true}, {"budget", "0"}}));
  EXPECT_THAT(text, Not(HasSubstr("somebody")));
  EXPECT_THAT(text, HasSubstr(of_kind));
}

}  // namespace
}  // namespace sightglass
