#include "sightglass/methods/losses/scored_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/losses/mean_losses.h"

namespace sightglass {

namespace {

// Rows whose terms are computed at a time by one thread.
constexpr std::size_t rows_per_task = 1024;

// The losses of the predictions as they are.
class BaselinePass : public Pass<RowTerms, std::shared_ptr<const ScoredRows>> {
 public:
  explicit BaselinePass(std::shared_ptr<const ScoredRows> scored) : scored_(std::move(scored)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] RowTerms empty() const override { return RowTerms(scored_->width()); }

  void map(const RowBlock& block, RowTerms& terms, Evaluator& evaluator) const override {
    const auto positions = scored_->positions(block);
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    std::vector<std::size_t> used;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (positions[row] < scored_->rows()) used.push_back(row);
    }
    if (used.empty()) return;
    double* room = terms.add(positions, scored_->rows());
    evaluator.context().parallel_for((used.size() + rows_per_task - 1) / rows_per_task, [&](std::size_t task) {
      const std::size_t end = std::min(used.size(), (task + 1) * rows_per_task);
      for (std::size_t k = task * rows_per_task; k < end; ++k) {
        scored_->add_terms(predictions.span().row(used[k]), scored_->truths[positions[used[k]]], room + k, used.size());
      }
    });
  }

  [[nodiscard]] std::shared_ptr<const ScoredRows> find(const RowTerms& rows) const override {
    auto scored = std::make_shared<ScoredRows>(*scored_);
    std::size_t first = 0;
    for (const Loss& loss : scored->losses) {
      std::vector<double> terms = rows.numbers(scored->rows(), first, loss.width());
      first += loss.width();
      LossSum sum(loss);
      sum.add_all(terms, scored->truths, scored->sum_weights());
      scored->values.push_back(sum.value());
      scored->terms.push_back(std::move(terms));
      add_caveats(loss, sum, *scored);
    }
    return scored;
  }

 private:
  static void add_caveats(const Loss& loss, const LossSum& sum, ScoredRows& scored) {
    const std::vector<double> constant = loss.best_constant(scored.truths, scored.weights);
    std::vector<double> terms(scored.rows() * loss.width());
    for (std::size_t row = 0; row < scored.rows(); ++row) {
      loss.terms(constant, scored.truths[row], std::span(terms).subspan(row * loss.width(), loss.width()));
    }
    LossSum constant_sum(loss);
    constant_sum.add_all(terms, scored.truths, scored.sum_weights());
    scored.constants.push_back(constant_sum.value());
    const std::string label = loss.info().label;
    if (!sum.defined()) {
      const bool classes = loss.info().kind == LossKind::auc;
      scored.caveats.push_back(
          {.id = "undefined-loss",
           .severity = Severity::caution,
           .message = label + (classes ? ": a class that no row has, or every row, is left out (0.5 if none remains)"
                                       : ": the truth does not vary; 1 if every prediction is right, else 0"),
           .evidence = Value::object({{"loss", loss.info().name}}),
           .advice = "use rows in which the target varies"});
    }
    if (!std::isfinite(sum.value())) {
      scored.caveats.push_back(
          {.id = "overflow",
           .severity = Severity::warning,
           .message = label + " is beyond the largest number a computer holds: nothing follows from it",
           .evidence = Value::object({{"loss", loss.info().name}}),
           .advice = "use absolute, or scale the target"});
    }
  }

  std::shared_ptr<const ScoredRows> scored_;
};

}  // namespace

std::size_t ScoredRows::width() const {
  std::size_t width = 0;
  for (const Loss& loss : losses) width += loss.width();
  return width;
}

void ScoredRows::add_terms(std::span<const double> prediction, double truth, double* out, std::size_t stride) const {
  std::vector<double> several;
  for (const Loss& loss : losses) {
    if (loss.width() == 1) {
      loss.terms(prediction, truth, {out, 1});
      out += stride;
      continue;
    }
    several.resize(loss.width());
    loss.terms(prediction, truth, several);
    for (const double term : several) {
      *out = term;
      out += stride;
    }
  }
}

std::vector<std::size_t> ScoredRows::positions(const RowBlock& block) const {
  std::vector<std::size_t> positions(block.rows, rows());
  std::size_t guess = 0;
  for (std::size_t row = 0; row < block.rows; ++row) {
    const std::uint64_t id = block.row_id(row);
    if (guess >= ids.size() || ids[guess] != id) {
      guess = static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
    }
    if (guess < ids.size() && ids[guess] == id) positions[row] = guess++;
  }
  return positions;
}

std::vector<double> ScoredRows::values_of(const RowSample& sample, std::uint32_t column) const {
  const std::vector<double>& all = sample.of(column);
  if (all.size() == rows()) return all;
  std::vector<double> here;
  here.reserve(rows());
  std::size_t at = 0;
  for (const std::uint64_t id : ids) {
    while (sample.ids[at] != id) ++at;
    here.push_back(all[at]);
  }
  return here;
}

double ScoredRows::total_weight() const {
  ExactSum sum;
  sum.add_all(weights);
  return sum.value();
}

double ScoredRows::effective_rows() const {
  if (!weighted) return static_cast<double>(rows());
  ExactSum squares;
  for (const double weight : weights) squares.add_product(weight, weight);
  const double total = total_weight();
  return total * total / squares.value();
}

double ScoredRows::mean(std::span<const double> numbers) const {
  ExactSum sum;
  if (!weighted) sum.add_all(numbers);
  for (std::size_t row = 0; weighted && row < numbers.size(); ++row) sum.add_product(weights[row], numbers[row]);
  return sum.value() / total_weight();
}

double ScoredRows::standard_error(std::span<const double> numbers) const {
  ExactMoments moments;
  ExactSum total;
  if (!weighted) moments.add_all(numbers);
  for (std::size_t row = 0; weighted && row < numbers.size(); ++row) moments.add(numbers[row], weights[row]);
  total.add_all(weights);
  return std::sqrt(moments.variance(total.pair()) / effective_rows());
}

std::optional<double> ScoredRows::standard_error_of(std::size_t loss) const {
  if (losses[loss].info().row_mean) return standard_error(terms[loss]);
  if (!averages_terms(losses[loss])) return std::nullopt;
  // The rmse and R² are functions of means, nearly linear for such changes as chance makes.
  const TruthMoments moments(losses[loss], truths, weights);
  const double mean_term = mean(terms[loss]);
  if (mean_term == 0) return 0;  // every prediction is right
  std::vector<double> parts(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    const double term = terms[loss][row];
    if (losses[loss].info().kind == LossKind::rmse) {
      parts[row] = term / (2 * std::sqrt(mean_term));
    } else {
      const double apart = truths[row] - moments.mean;
      parts[row] = (mean_term / moments.variance * apart * apart - term) / moments.variance;
    }
    if (!std::isfinite(parts[row])) return std::nullopt;
  }
  return standard_error(parts);
}

void ScoredRows::add_figures(Result& result, FigureKind kind) const {
  // Rows without a weight or without a truth are not in these numbers.
  if (rows() < rows_used) result.data.set("scored_rows", rows());
  Value best_constant = Value::object();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const LossInfo& info = losses[i].info();
    if (!std::isfinite(values[i])) continue;
    Figure figure{.name = info.label,
                  .id = FigureId::loss,
                  .loss = info.kind,
                  .output = outcome.output_name(),
                  .value = values[i],
                  .meaning = std::string("of the model's predictions as they are; ") +
                             (info.score ? "the higher, the better" : "the lower, the better")};
    figure.se = standard_error_of(i);
    if (kind == FigureKind::beside_constant) {
      figure.meaning = info.score ? "the higher, the better" : "the lower, the better";
      if (std::isfinite(constants[i])) best_constant.set(info.label, constants[i]);
      if (info.kind == LossKind::r2) {
        figure.meaning = "share of the target's variance that the predictions explain; 0 = no better than its mean";
      } else if (std::isfinite(constants[i])) {
        figure.meaning += "; the best constant prediction has " + fmt::format("{:.4g}", constants[i]);
      }
      result.results.emplace_back(std::move(figure));
      continue;
    }
    result.results.emplace_back(std::move(figure));
    const auto skill = losses[i].skill(values[i], constants[i]);
    if (!skill) continue;
    result.results.emplace_back(
        Figure{.name = std::string("skill by ") + info.label,
               .id = FigureId::skill,
               .loss = info.kind,
               .output = outcome.output_name(),
               .value = *skill,
               .meaning = "1 = perfect, 0 = no better than the best constant prediction, below 0 = worse"});
  }
  if (kind == FigureKind::beside_constant) result.data.set("best_constant", std::move(best_constant));
}

std::shared_ptr<ScoredRows> rows_with_truth(const MethodInput& input, const RowSample& sample, Outcome outcome,
                                            std::vector<Loss> losses) {
  const std::vector<double>& targets = sample.of(*input.target);
  auto scored = std::make_shared<ScoredRows>(std::move(outcome), std::move(losses));
  scored->weighted = input.weighted;
  scored->rows_used = input.rows;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    const double truth = scored->outcome.truth(targets[row]);
    if (std::isnan(truth)) {
      ++scored->left_out;
      continue;
    }
    scored->ids.push_back(sample.ids[row]);
    scored->truths.push_back(truth);
    scored->weights.push_back(sample.weights[row]);
  }
  scored->caveats = scored->outcome.caveats();
  const std::string& name = input.schema[*input.target].name;
  if (scored->left_out > 0) {
    scored->caveats.push_back({.id = "missing-target",
                               .severity = Severity::note,
                               .message = std::to_string(scored->left_out) + " of " + std::to_string(sample.rows()) +
                                          (scored->left_out == 1 ? " rows has" : " rows have") + " no (finite) " +
                                          name + " and " + (scored->left_out == 1 ? "was" : "were") + " left out",
                               .evidence = Value::object({{"target", name}, {"rows", scored->left_out}}),
                               .advice = "check the column"});
  }
  return scored;
}

Chain<std::shared_ptr<const ScoredRows>> score_rows(const MethodInput& input, const std::vector<std::string>& names,
                                                    const std::string& loss_of_numbers) {
  std::vector<const LossInfo*> infos;
  for (const std::string& name : names) {
    const LossInfo* info = &loss_info(name);
    if (std::find(infos.begin(), infos.end(), info) == infos.end()) infos.push_back(info);
  }
  if (infos.empty()) infos.push_back(&loss_info(input.task == Task::regression ? loss_of_numbers : "log-loss"));
  if (!input.target) {
    throw Error(ErrorKind::usage, "without the true outcomes there is no loss",
                marked("name their column with {option:target}"));
  }
  const std::uint32_t target = *input.target;
  return draw_rows(input, {target}, 0, 0).then([=](const RowSample& sample) {
    const bool classes = std::any_of(infos.begin(), infos.end(), [](const LossInfo* info) { return info->of_classes; });
    const std::vector<double>& targets = sample.of(target);
    Outcome outcome(input, classes, targets);
    std::vector<Loss> losses;
    for (const LossInfo* info : infos) losses.emplace_back(*info, outcome);
    auto scored = rows_with_truth(input, sample, std::move(outcome), std::move(losses));
    if (scored->effective_rows() < 2) {
      scored->caveats.push_back(
          {.id = "one-row",
           .severity = Severity::caution,
           .message = "there is only one row (or one with weight): no other row can lend it its values",
           .evidence = Value::object({{"effective_rows", scored->effective_rows()}}),
           .advice = "use more rows"});
    }
    return over_rows<BaselinePass>(std::move(scored));
  });
}

double* RowTerms::add(std::span<const std::size_t> positions, std::size_t rows) {
  Part& part = parts_.emplace_back();
  for (const std::size_t position : positions) {
    if (position < rows) part.positions.push_back(position);
  }
  part.numbers.resize(part.positions.size() * width_);
  return part.numbers.data();
}

void RowTerms::merge(const RowTerms& other) { parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end()); }

void RowTerms::save(ByteSink& sink) const {
  sink.u64(parts_.size());
  for (const Part& part : parts_) {
    sink.u64(part.positions.size());
    for (const std::uint64_t position : part.positions) sink.u64(position);
    for (const double number : part.numbers) sink.f64(number);
  }
}

void RowTerms::load(ByteSource& source) {
  parts_.assign(source.count(8), {});
  for (Part& part : parts_) {
    part.positions.resize(source.count(8 + 8 * width_));
    for (std::uint64_t& position : part.positions) position = source.u64();
    part.numbers.resize(part.positions.size() * width_);
    for (double& number : part.numbers) number = source.f64();
  }
}

std::vector<double> RowTerms::numbers(std::size_t rows, std::size_t first, std::size_t count) const {
  std::vector<double> found(rows * count);
  std::size_t seen = 0;
  for (const Part& part : parts_) {
    const std::size_t size = part.positions.size();
    for (std::size_t c = 0; c < count; ++c) {
      const double* numbers = part.numbers.data() + (first + c) * size;
      for (std::size_t k = 0; k < size; ++k) {
        if (part.positions[k] >= rows) throw Error(ErrorKind::data, "saved partial result is of other rows");
        found[part.positions[k] * count + c] = numbers[k];
      }
    }
    seen += size;
  }
  if (seen != rows) throw Error(ErrorKind::internal, "not every row was seen once");
  return found;
}

}  // namespace sightglass
