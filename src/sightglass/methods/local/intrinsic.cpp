#include "sightglass/methods/local/intrinsic.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/intrinsic/panel_parts.h"
#include "sightglass/methods/local/intrinsic/row_parts.h"
#include "sightglass/methods/run/named_rows.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

// Items of a result, each with all terms of a row, and numbers of pictures: some hundred megabytes.
constexpr std::uint64_t most_items = 100'000, most_drawn = 5'000'000;

constexpr std::uint64_t explain_stream = 0x696e'7472'696e;  // "intrin"

// A model without names of its own never gets here: these come from files that name their features.
struct IntrinsicWork {
  MethodInput input;
  RowIds rows;
  std::vector<FeatureColumn> features;
  std::uint64_t available = 0;  // rows that they were drawn from; 0: they were named
};

struct RowSums {
  RowNumbers kept;  // of each row: what the columns of the model's features hold, then its predictions

  static auto members() { return std::tuple(&RowSums::kept); }
};

class IntrinsicPass : public Pass<RowSums, Result> {
 public:
  explicit IntrinsicPass(std::shared_ptr<const IntrinsicWork> work) : work_(std::move(work)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return work_->input.features; }
  [[nodiscard]] std::optional<RowIds> rows() const override { return work_->rows; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] RowSums empty() const override { return {RowNumbers(width())}; }

  void map(const RowBlock& block, RowSums& sums, Evaluator& evaluator) const override {
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (!std::binary_search(work_->rows.begin(), work_->rows.end(), block.row_id(row))) continue;
      sums.kept.rows.push_back(block.row_id(row));
      for (const FeatureColumn& feature : work_->features)
        sums.kept.numbers.push_back(block.columns[feature.column].number(row));
      for (std::size_t k = 0; k < work_->input.outputs.size(); ++k) sums.kept.numbers.push_back(predictions(row, k));
    }
  }

  [[nodiscard]] Result find(const RowSums& sums) const override {
    check_all_found(work_->input, work_->rows.size(), sums.kept.rows.size());
    std::vector<std::size_t> order(sums.kept.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return sums.kept.rows[a] < sums.kept.rows[b]; });
    Result result;
    const StructureReader parts(*work_->input.learned, work_->input.explained, work_->input.scale);
    for (const std::size_t at : order) {
      work_->input.context->check();
      const std::span<const double> numbers(sums.kept.numbers.data() + at * width(), width());
      const std::span<const double> own = numbers.first(work_->features.size());
      std::vector<double> values(own.size());
      std::vector<std::string> unseen(own.size());
      for (std::size_t j = 0; j < own.size(); ++j) {
        values[j] = work_->features[j].translate(own[j]);
        if (!std::isnan(own[j]) && !(values[j] >= 0) && work_->input.learned->signature().features[j].categorical)
          unseen[j] = level_of(work_->features[j].column, own[j]);
      }
      for (ResultItem& item : parts.of({.row = sums.kept.rows[at],
                                        .values = values,
                                        .unseen = unseen,
                                        .predictions = numbers.subspan(own.size())}))
        result.results.push_back(std::move(item));
    }
    add_note(result);
    return result;
  }

 private:
  [[nodiscard]] std::size_t width() const { return work_->features.size() + work_->input.outputs.size(); }

  [[nodiscard]] std::string level_of(std::uint32_t column, double value) const {
    const ColumnInfo& info = work_->input.schema[column];
    return info.has_levels() ? info.levels()[static_cast<std::size_t>(value)] : to_json(Value(value));
  }

  void add_note(Result& result) const {
    if (work_->rows.size() >= work_->available) return;
    result.caveats.push_back(
        {.id = "some-rows",
         .severity = Severity::note,
         .message = std::to_string(work_->rows.size()) + " of " + std::to_string(work_->available) +
                    " rows are explained, drawn at random",
         .evidence = Value::object({{"rows", work_->rows.size()}, {"available", work_->available}}),
         .advice = marked("name {option:rows|rows}, or set {option:explain} to 0 for all")});
  }

  std::shared_ptr<const IntrinsicWork> work_;
};

void check(const MethodInput& input, const IntrinsicOptions& options) {
  const std::uint64_t rows = !options.rows.empty()  ? options.rows.size()
                             : options.explain == 0 ? input.rows
                                                    : static_cast<std::uint64_t>(options.explain);
  const std::uint64_t drawn = std::max<std::uint64_t>(1, drawn_numbers(input.learned->structure()));
  const std::uint64_t most = std::min(most_items / std::max<std::size_t>(1, input.explained.size()),
                                      std::max<std::uint64_t>(1, most_drawn / drawn));
  if (rows <= most) return;
  throw Error(ErrorKind::usage,
              std::to_string(rows) + " rows are too many to be read one by one: this model shows " +
                  std::to_string(most) + " at once",
              marked("name fewer {option:rows|rows}; the method {method:shap} sums up all of them"));
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<IntrinsicOptions>(given);
  check(input, options);
  IntrinsicWork work{.input = input};
  work.features =
      match_columns(input.learned->signature(), input.schema, {}, unseen_level(input.learned->structure())).features;
  if (auto named = named_rows(input, options.rows)) {
    work.rows = std::move(*named);
    return over_rows<IntrinsicPass>(std::make_shared<const IntrinsicWork>(std::move(work)));
  }
  return draw_rows(input, {}, static_cast<std::uint64_t>(options.explain), explain_stream)
      .then([work = std::move(work)](const RowSample& drawn) {
        auto with = std::make_shared<IntrinsicWork>(work);
        with->rows = drawn.ids;
        with->available = drawn.available;
        return over_rows<IntrinsicPass>(std::move(with));
      });
}

}  // namespace

MethodEntry intrinsic() {
  MethodEntry entry;
  entry.name = "intrinsic";
  entry.alias = "own";
  entry.about = {
      .title = "The model's own explanation of a row", .short_name = "own explanation", .family = Family::local};
  entry.question = "How does a model that explains itself arrive at the prediction of this row?";
  entry.when =
      "the model is a linear model, a tree, rules, an additive model, panels or one of neighbours that sightglass fit "
      "made";
  entry.when_not = "the model was made elsewhere: ask shap, or fit a surrogate";
  entry.formula =
      "margin = base + Σ_j w_j (t_j(x) − mean t_j); of a tree: margin = root + Σ changes of the mean along the path";
  entry.paper =
      "Friedman, Popescu 2008, Predictive learning via rule ensembles; Saabas 2014, Interpreting random forests";
  entry.approach = Approach::intrinsic;
  entry.reach = Reach::model_specific;
  entry.scopes = {Scope::local};
  entry.results = {"terms", "rules", "examples", "panels"};
  entry.expresses =
      "what each term, rule or split adds to the prediction of a row, and the rule that it falls under; the panels or "
      "the "
      "training rows that decide it";
  entry.cost = "one prediction per row";
  entry.needs = {.learned = true};
  entry.access = Access::columns;
  entry.change = RowChange::none;
  entry.random = true;
  entry.options = describe_options<IntrinsicOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
