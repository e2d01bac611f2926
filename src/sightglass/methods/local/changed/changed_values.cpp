#include "sightglass/methods/local/changed/changed_values.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/picked_block.h"

namespace sightglass {

namespace {

constexpr std::size_t parts_of_step = 16;  // into which a step is divided in one round
constexpr int division_rounds = 2;

bool is_whole(DType type) { return type != DType::float64 && type != DType::float32; }

std::vector<double> thresholds_of(const MethodInput& input, const FeatureGrid& grid) {
  if (!input.breakpoints || grid.axis.is_categorical() || grid.values.empty()) return {};
  std::vector<double> found = input.breakpoints(grid.column);
  // Behind a split at 11.5 the next whole number is 12.
  if (is_whole(input.schema[grid.column].type))
    std::transform(found.begin(), found.end(), found.begin(), [](double value) { return std::ceil(value); });
  std::erase_if(
      found, [&](double value) { return !(value > grid.axis.numbers.front() && value <= grid.axis.numbers.back()); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<Scalar> asked_values(const FeatureGrid& grid, const std::vector<double>& thresholds) {
  if (grid.axis.is_categorical()) return grid.values;
  std::vector<double> numbers = grid.axis.numbers;
  numbers.insert(numbers.end(), thresholds.begin(), thresholds.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<Scalar> values;
  for (const double number : numbers) values.push_back(Scalar::of(number));
  return values;
}

// Rows of a block that are explained.
std::vector<std::uint64_t> places_in(const RowBlock& block, const RowIds& rows) {
  std::vector<std::uint64_t> places;
  for (std::size_t row = 0; row < block.rows; ++row) {
    if (std::binary_search(rows.begin(), rows.end(), block.row_id(row))) places.push_back(row);
  }
  return places;
}

class ChangePass : public Pass<RowNumbers, VariedRows> {
 public:
  explicit ChangePass(ValueChangesPtr changes) : changes_(std::move(changes)) {
    std::size_t questions = 1;
    for (std::size_t i = 0; i < changes_->grids.size(); ++i) questions += changes_->questions(i);
    width_ = changes_->input.features.size() + questions * changes_->input.outputs.size();
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return changes_->input.features; }
  [[nodiscard]] std::optional<RowIds> rows() const override { return changes_->rows; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] RowNumbers empty() const override { return RowNumbers(width_); }

  void map(const RowBlock& block, RowNumbers& sums, Evaluator& evaluator) const override {
    const std::vector<std::uint64_t> places = places_in(block, changes_->rows);
    if (places.empty()) return;
    const PickedBlock picked(block, places);
    RowBlock rows = picked.block();
    rows.weights = {};  // a row that was asked for is shown whatever it weighs
    const std::size_t outputs = changes_->input.outputs.size(), features = changes_->input.features.size();
    std::vector<double> numbers(rows.rows * width_);
    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      double* at = numbers.data() + row * width_;
      for (const std::uint32_t column : changes_->input.features) *at++ = rows.columns[column].number(row);
      for (std::size_t k = 0; k < outputs; ++k) *at++ = predictions(row, k);
    }
    std::size_t first = features + outputs;
    std::vector<Variant> variants;
    const auto ask = [&] {
      for_each_slice(rows, rows_per_request(variants.size()), [&, done = std::size_t{0}](const RowBlock& part) mutable {
        evaluator.evaluate(part, variants, predictions);
        for (std::size_t variant = 0; variant < variants.size(); ++variant) {
          for (std::size_t row = 0; row < part.rows; ++row) {
            for (std::size_t k = 0; k < outputs; ++k)
              numbers[(done + row) * width_ + first + variant * outputs + k] =
                  predictions(variant * part.rows + row, k);
          }
        }
        done += part.rows;
      });
      first += variants.size() * outputs;
      variants.clear();
    };
    for (std::size_t i = 0; i < changes_->grids.size(); ++i) {
      const std::uint32_t column = changes_->grids[i].column;
      for (const Scalar& value : changes_->values[i]) variants.push_back({{column, value}});
      if (changes_->asks_missing(i)) variants.push_back({{column, Scalar::missing()}});
      // Trees answer many values of one feature at once; to others every call is dear.
      if (changes_->input.trees != nullptr || variants.size() >= variants_at_once) ask();
    }
    if (!variants.empty()) ask();
    for (std::size_t row = 0; row < rows.rows; ++row) sums.rows.push_back(rows.row_id(row));
    // Growing by itself it would take twice the room.
    sums.numbers.reserve(changes_->rows.size() * width_);
    sums.numbers.insert(sums.numbers.end(), numbers.begin(), numbers.end());
  }

  [[nodiscard]] VariedRows find(const RowNumbers& sums) const override {
    check_all_found(changes_->input, changes_->rows.size(), sums.rows.size());
    const std::size_t outputs = changes_->input.outputs.size();
    std::vector<VariedRow> found(sums.rows.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      VariedRow& row = found[i];
      const double* numbers = sums.numbers.data() + i * width_;
      const auto take = [&](std::size_t count) {
        std::vector<double> taken(numbers, numbers + count);
        numbers += count;
        return taken;
      };
      row.id = sums.rows[i];
      row.own = take(changes_->input.features.size());
      row.outputs = take(outputs);
      for (std::size_t g = 0; g < changes_->grids.size(); ++g) {
        VariedRow::Feature& feature = row.features.emplace_back();
        feature.answers = take(changes_->values[g].size() * outputs);
        if (changes_->asks_missing(g)) feature.missing = take(outputs);
      }
    }
    std::sort(found.begin(), found.end(), [](const VariedRow& a, const VariedRow& b) { return a.id < b.id; });
    return std::make_shared<const std::vector<VariedRow>>(std::move(found));
  }

 private:
  ValueChangesPtr changes_;
  std::size_t width_ = 0;  // numbers of a row: its own values, its predictions, and those under every changed value
};

// Steps between the answers of one feature, in ascending order.
void add_steps(const ValueChanges& changes, std::size_t row, std::size_t grid, const std::vector<ChangedAnswer>& along,
               std::vector<ClassStep>& steps) {
  const std::vector<double>& thresholds = changes.thresholds[grid];
  for (std::size_t i = 1; i < along.size(); ++i) {
    const ChangedAnswer &below = along[i - 1], &above = along[i];
    if (changes.classes.of(below.outputs) == changes.classes.of(above.outputs)) continue;
    const bool threshold = std::binary_search(thresholds.begin(), thresholds.end(), above.value);
    const bool whole = is_whole(changes.input.schema[changes.grids[grid].column].type);
    steps.push_back({.row = row,
                     .grid = grid,
                     .below = below,
                     .above = above,
                     .exact = threshold || (whole && above.value - below.value <= 1)});
  }
}

// Values between the ends of a step, ascending; none if there are none.
std::vector<double> between(const ClassStep& step, bool whole) {
  std::vector<double> values;
  const double low = step.below.value, high = step.above.value;
  for (std::size_t i = 1; i < parts_of_step; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(parts_of_step);
    double value = low * (1 - share) + high * share;
    if (whole) value = std::round(value);
    if (value > low && value < high && (values.empty() || value > values.back())) values.push_back(value);
  }
  return values;
}

// One round: each step that is not exact is divided.
class DivisionPass : public Pass<RowNumbers, std::vector<ClassStep>> {
 public:
  DivisionPass(ValueChangesPtr changes, std::vector<std::uint64_t> row_ids, std::vector<ClassStep> steps)
      : changes_(std::move(changes)), row_ids_(std::move(row_ids)), steps_(std::move(steps)) {
    for (const ClassStep& step : steps_) {
      const bool whole = is_whole(changes_->input.schema[changes_->grids[step.grid].column].type);
      inside_.push_back(step.exact ? std::vector<double>() : between(step, whole));
    }
  }

  [[nodiscard]] bool divides() const {
    return std::any_of(inside_.begin(), inside_.end(), [](const auto& values) { return !values.empty(); });
  }
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return changes_->input.features; }
  [[nodiscard]] std::optional<RowIds> rows() const override { return changes_->rows; }
  [[nodiscard]] bool needs_model() const override { return true; }
  // By the places of the steps.
  [[nodiscard]] RowNumbers empty() const override { return RowNumbers(parts_of_step * outputs()); }

  void map(const RowBlock& block, RowNumbers& sums, Evaluator& evaluator) const override {
    Matrix predictions;
    for (const std::uint64_t place : places_in(block, changes_->rows)) {
      const std::vector<std::uint64_t> one{place};
      const PickedBlock picked(block, one);
      RowBlock row = picked.block();
      row.weights = {};
      std::vector<Variant> variants;
      std::vector<std::size_t> asked;
      const auto ask = [&] {
        if (variants.empty()) return;
        evaluator.evaluate(row, variants, predictions, false);
        std::size_t variant = 0;
        for (const std::size_t step : asked) {
          sums.rows.push_back(step);
          std::vector<double> numbers(parts_of_step * outputs());
          for (std::size_t i = 0; i < inside_[step].size(); ++i, ++variant) {
            for (std::size_t k = 0; k < outputs(); ++k) numbers[i * outputs() + k] = predictions(variant, k);
          }
          sums.numbers.insert(sums.numbers.end(), numbers.begin(), numbers.end());
        }
        variants.clear();
        asked.clear();
      };
      const auto at = std::lower_bound(row_ids_.begin(), row_ids_.end(), row.row_id(0));
      const auto of_row = steps_of(steps_, static_cast<std::size_t>(at - row_ids_.begin()));
      const auto first = static_cast<std::size_t>(of_row.data() - steps_.data());
      for (std::size_t step = first; step < first + of_row.size(); ++step) {
        if (inside_[step].empty()) continue;
        asked.push_back(step);
        for (const double value : inside_[step])
          variants.push_back({{changes_->grids[steps_[step].grid].column, Scalar::of(value)}});
        if (variants.size() >= variants_at_once) ask();
      }
      ask();
    }
  }

  [[nodiscard]] std::vector<ClassStep> find(const RowNumbers& sums) const override {
    std::vector<const double*> answers(steps_.size(), nullptr);
    for (std::size_t i = 0; i < sums.rows.size(); ++i)
      answers.at(sums.rows[i]) = sums.numbers.data() + i * parts_of_step * outputs();
    std::vector<ClassStep> found;
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      const ClassStep& step = steps_[at];
      if (answers[at] == nullptr) {
        found.push_back(step);
        found.back().exact = true;  // nothing lies between its ends
        continue;
      }
      std::vector<ChangedAnswer> along{step.below};
      for (std::size_t i = 0; i < inside_[at].size(); ++i) {
        const double* own = answers[at] + i * outputs();
        along.push_back({inside_[at][i], std::vector<double>(own, own + outputs())});
      }
      along.push_back(step.above);
      add_steps(*changes_, step.row, step.grid, along, found);
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t outputs() const { return changes_->input.outputs.size(); }

  ValueChangesPtr changes_;
  std::vector<std::uint64_t> row_ids_;  // by place
  std::vector<ClassStep> steps_;
  std::vector<std::vector<double>> inside_;  // per step
};

Chain<std::vector<ClassStep>> divide(const ValueChangesPtr& changes,  // NOLINT(misc-no-recursion)
                                     const std::vector<std::uint64_t>& row_ids, std::vector<ClassStep> steps,
                                     int rounds) {
  if (rounds == 0 || !DivisionPass(changes, row_ids, steps).divides()) return steps;
  return over_rows<DivisionPass>(changes, row_ids, std::move(steps))
      .then([changes, row_ids, rounds](std::vector<ClassStep> finer) {  // NOLINT(misc-no-recursion)
        return divide(changes, row_ids, std::move(finer), rounds - 1);
      });
}

}  // namespace

ValueChanges::ValueChanges(const MethodInput& of, RowIds explained, std::vector<FeatureGrid> found)
    : input(of), rows(std::move(explained)), grids(std::move(found)), classes(of) {
  for (const FeatureGrid& grid : grids) {
    thresholds.push_back(classes.any() ? thresholds_of(input, grid) : std::vector<double>());
    values.push_back(asked_values(grid, thresholds.back()));
  }
}

Chain<VariedRows> ask_changes(const ValueChangesPtr& changes) { return over_rows<ChangePass>(changes); }

std::span<const ClassStep> steps_of(std::span<const ClassStep> steps, std::size_t row) {
  const auto begin = std::partition_point(steps.begin(), steps.end(), [&](const ClassStep& s) { return s.row < row; });
  const auto end = std::partition_point(begin, steps.end(), [&](const ClassStep& s) { return s.row == row; });
  return {begin, end};
}

std::span<const ClassStep> steps_of(std::span<const ClassStep> steps, std::size_t row, std::size_t grid) {
  const auto all = steps_of(steps, row);
  const auto begin = std::partition_point(all.begin(), all.end(), [&](const ClassStep& s) { return s.grid < grid; });
  const auto end = std::partition_point(begin, all.end(), [&](const ClassStep& s) { return s.grid == grid; });
  return {begin, end};
}

Chain<std::vector<ClassStep>> find_class_steps(const ValueChangesPtr& changes, const std::vector<VariedRow>& rows) {
  std::vector<ClassStep> steps;
  std::vector<std::uint64_t> row_ids;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    row_ids.push_back(rows[row].id);
    for (std::size_t grid = 0; grid < changes->grids.size() && changes->classes.any(); ++grid) {
      if (changes->grids[grid].axis.is_categorical()) continue;
      std::vector<ChangedAnswer> along;
      for (std::size_t value = 0; value < changes->values[grid].size(); ++value) {
        const auto outputs = rows[row].answer(grid, value);
        along.push_back({changes->values[grid][value].number, {outputs.begin(), outputs.end()}});
      }
      // The row's own value is known, too.
      const auto& features = changes->input.features;
      const auto place = std::find(features.begin(), features.end(), changes->grids[grid].column) - features.begin();
      const double own = rows[row].own[static_cast<std::size_t>(place)];
      const auto at = std::lower_bound(along.begin(), along.end(), own,
                                       [](const ChangedAnswer& each, double value) { return each.value < value; });
      if (std::isfinite(own) && (at == along.end() || at->value != own)) along.insert(at, {own, rows[row].outputs});
      add_steps(*changes, row, grid, along, steps);
    }
  }
  return divide(changes, row_ids, std::move(steps), division_rounds);
}

}  // namespace sightglass
