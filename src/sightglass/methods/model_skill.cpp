#include "sightglass/methods/model_skill.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sightglass/base/random.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

constexpr std::uint64_t skill_stream = 0x736b'696c'6c;  // "skill"
constexpr double least_probability = 1e-15;

std::optional<double> as_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool has_levels(const ColumnInfo& column) { return column.is_categorical() || column.type == DType::boolean; }

// For each code of a target with levels its class, or -1; classes are outputs, but of a binary model 0 and 1.
std::vector<std::int64_t> class_of_levels(const MethodInput& input) {
  const ColumnInfo& target = input.schema[*input.target];
  if (target.type == DType::boolean)
    return input.task == Task::binary ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{-1, -1};
  const std::vector<std::string>& levels = target.dictionary->levels();
  std::vector<std::int64_t> classes(levels.size(), -1);
  for (std::size_t code = 0; code < levels.size(); ++code) {
    if (input.task == Task::binary) {
      const bool named = std::find(levels.begin(), levels.end(), input.outputs[0]) != levels.end();
      if (named && levels.size() == 2) classes[code] = levels[code] == input.outputs[0] ? 1 : 0;
      if (!named && (levels[code] == "0" || levels[code] == "1")) classes[code] = levels[code] == "1" ? 1 : 0;
    } else {
      const auto at = std::find(input.outputs.begin(), input.outputs.end(), levels[code]);
      if (at != input.outputs.end()) classes[code] = at - input.outputs.begin();
    }
  }
  return classes;
}

// The class that a number stands for: named by an output, else counted from 0.
std::int64_t class_of_number(const MethodInput& input, double value) {
  if (input.task == Task::binary) return value == 0 ? 0 : value == 1 ? 1 : -1;
  bool numbers = false;
  for (std::size_t k = 0; k < input.outputs.size(); ++k) {
    const auto named = as_number(input.outputs[k]);
    if (named == value) return static_cast<std::int64_t>(k);
    numbers = numbers || named.has_value();
  }
  const bool counted = !numbers && value >= 0 && value < static_cast<double>(input.outputs.size());
  return counted && value == std::floor(value) ? static_cast<std::int64_t>(value) : -1;
}

class SkillSums : public Partial {
 public:
  explicit SkillSums(std::size_t classes) : class_weights(classes) {}
  std::uint64_t rows = 0, unknown = 0;  // rows with a target; those whose class no output has
  ExactSum weight, loss;
  ExactMoments truth;
  std::vector<ExactSum> class_weights;

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const SkillSums&>(partial);
    rows += other.rows;
    unknown += other.unknown;
    weight.merge(other.weight);
    loss.merge(other.loss);
    truth.merge(other.truth);
    for (std::size_t k = 0; k < class_weights.size(); ++k) class_weights[k].merge(other.class_weights[k]);
  }
  void save(ByteSink& sink) const override {
    sink.u64(rows);
    sink.u64(unknown);
    weight.save(sink);
    loss.save(sink);
    truth.save(sink);
    for (const ExactSum& sum : class_weights) sum.save(sink);
  }
  void load(ByteSource& source) override {
    rows = source.u64();
    unknown = source.u64();
    weight.load(source);
    loss.load(source);
    truth.load(source);
    for (ExactSum& sum : class_weights) sum.load(source);
  }
};

class SkillStage : public Stage {
 public:
  SkillStage(const MethodInput& input, std::vector<std::uint64_t> ids,
             std::function<Next(std::optional<ModelSkill>)> then)
      : input_(input), ids_(std::move(ids)), then_(std::move(then)) {
    if (input.task != Task::regression && has_levels(input.schema[*input.target])) classes_ = class_of_levels(input);
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns = input_.features;
    columns.push_back(*input_.target);
    return columns;
  }
  // It does, for a few rows of each block; in the large blocks of passes that do not, so that the few are not
  // spread over hundreds of calls.
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] std::unique_ptr<Partial> empty() const override { return std::make_unique<SkillSums>(class_count()); }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    std::vector<std::uint64_t> local, ids;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (!std::binary_search(ids_.begin(), ids_.end(), block.row_id(row))) continue;
      local.push_back(row);
      ids.push_back(block.row_id(row));
    }
    if (local.empty()) return;
    std::vector<Column> memory;
    std::vector<ColumnView> views(block.columns.size());
    for (std::size_t column = 0; column < views.size(); ++column) {
      if (block.columns[column].data == nullptr) continue;
      memory.push_back(gather(block.columns[column], local));
      views[column] = memory.back().view;
    }
    const RowBlock rows{.first_row = ids.front(), .rows = ids.size(), .columns = views, .row_ids = ids};
    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    auto& sums = dynamic_cast<SkillSums&>(partial);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const double truth = views[*input_.target].number(row);
      if (std::isfinite(truth)) add(truth, block.weight(local[row]), predictions, row, sums);
    }
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    return then_(skill(dynamic_cast<const SkillSums&>(merged)));
  }

 private:
  [[nodiscard]] std::size_t class_count() const {
    return input_.task == Task::regression ? 0 : input_.task == Task::binary ? 2 : input_.outputs.size();
  }

  void add(double truth, double weight, const Matrix& predictions, std::size_t row, SkillSums& sums) const {
    double loss = 0;
    if (input_.task == Task::regression) {
      loss = (truth - predictions(row, 0)) * (truth - predictions(row, 0));
      sums.truth.add(truth, weight);
    } else {
      const bool levels = has_levels(input_.schema[*input_.target]);
      const std::int64_t label = levels ? classes_[static_cast<std::size_t>(truth)] : class_of_number(input_, truth);
      if (label < 0) {
        ++sums.unknown;
        return;
      }
      const bool binary = input_.task == Task::binary;
      double probability = predictions(row, binary ? 0 : static_cast<std::size_t>(label));
      if (binary && label == 0) probability = 1 - probability;
      loss = -std::log(std::clamp(probability, least_probability, 1.0));
      sums.class_weights[static_cast<std::size_t>(label)].add(weight);
    }
    ++sums.rows;
    sums.weight.add(weight);
    sums.loss.add(weight * loss);
  }

  [[nodiscard]] std::optional<ModelSkill> skill(const SkillSums& sums) const {
    // Classes that no output has: the target is not what the model predicts.
    if (sums.rows < 2 || sums.unknown > 0) return std::nullopt;
    const double total = sums.weight.value();
    double constant = 0;
    if (input_.task == Task::regression) {
      constant = sums.truth.variance(sums.weight.pair());
    } else {
      for (const ExactSum& weight : sums.class_weights) {
        const double share = weight.value() / total;
        if (share > 0) constant -= share * std::log(share);
      }
    }
    const double skill = 1 - sums.loss.value() / total / constant;
    if (!(constant > 0) || !std::isfinite(constant) || !std::isfinite(skill)) return std::nullopt;
    return ModelSkill{
        .measure = input_.task == Task::regression ? "r2" : "log-loss", .skill = skill, .rows = sums.rows};
  }

  MethodInput input_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::int64_t> classes_;
  std::function<Next(std::optional<ModelSkill>)> then_;
};

}  // namespace

std::vector<std::uint64_t> skill_rows(const MethodInput& input, const std::vector<std::uint64_t>& ids,
                                      std::uint64_t limit) {
  if (limit == 0 || ids.size() <= limit) return ids;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> keys;
  for (const std::uint64_t id : ids) keys.emplace_back(random_bits(input.seed, skill_stream, id), id);
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(limit), keys.end());
  std::vector<std::uint64_t> drawn;
  for (std::size_t i = 0; i < limit; ++i) drawn.push_back(keys[i].second);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

bool can_measure_skill(const MethodInput& input) {
  if (!input.target || input.scale != Scale::response || input.outputs.empty()) return false;
  const bool levels = has_levels(input.schema[*input.target]);
  if (input.task == Task::regression) return !levels && input.outputs.size() == 1;
  if (input.task == Task::binary && input.outputs.size() != 1) return false;
  if (!levels) return true;
  const auto classes = class_of_levels(input);
  return std::any_of(classes.begin(), classes.end(), [](std::int64_t label) { return label >= 0; });
}

std::unique_ptr<Stage> measure_skill(const MethodInput& input, std::vector<std::uint64_t> ids,
                                     std::function<Next(std::optional<ModelSkill>)> then) {
  return std::make_unique<SkillStage>(input, std::move(ids), std::move(then));
}

}  // namespace sightglass
