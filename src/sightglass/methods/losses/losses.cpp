#include "sightglass/methods/losses/losses.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/data/level_text_internal.h"

namespace sightglass {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t named_at_most = 20;  // an error stays one readable line

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < named_at_most; ++k)
    text += (k > 0 ? ", " : "") + printable(names[k], 40);
  if (names.size() > named_at_most) text += ", … (" + std::to_string(names.size()) + " in all)";
  return text;
}

std::string value_name(const ColumnInfo& column, double value) {
  if (column.is_categorical()) return column.dictionary->level(static_cast<std::int32_t>(value));
  if (column.type == DType::boolean) return value != 0 ? "true" : "false";
  char buffer[number_text_bytes];
  return std::string(print_number(buffer, value));
}

std::vector<std::string> value_names(const ColumnInfo& column, const std::vector<double>& values) {
  std::vector<std::string> names;
  for (const double value : values) names.push_back(value_name(column, value));
  return names;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || std::isnan(value)) return std::nullopt;
  return value;
}

// A number, or a truth value in any of its spellings.
std::optional<double> number_or_truth_in(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return 1;
  if (text == "false" || text == "False" || text == "FALSE") return 0;
  return number_in(text);
}

// Whether a value of the target is the class of that name: text letter by letter, numbers by value.
bool is_class(const ColumnInfo& column, double value, const std::string& name) {
  if (column.is_categorical()) return value_name(column, value) == name;
  const auto number = number_or_truth_in(name);
  return number && *number == value;
}

// 0, 1, …: what the model's own classes are counted by.
std::optional<std::size_t> code_of(const ColumnInfo& column, double value, std::size_t classes) {
  const auto number = column.is_categorical() ? number_or_truth_in(value_name(column, value)) : std::optional(value);
  if (!number || *number != std::trunc(*number) || *number < 0 || *number >= static_cast<double>(classes))
    return std::nullopt;
  return static_cast<std::size_t>(*number);
}

[[noreturn]] void refuse(const ColumnInfo& column, const std::string& classes, const std::vector<double>& values) {
  throw Error(ErrorKind::data,
              "the target " + printable(column.name) + " does not fit the model: its values are " +
                  listed(value_names(column, values)) + "; the model's classes are " + classes,
              marked("give the names of the classes in the model's order as {argument:classes}, or another target"));
}

// A model that says of itself no more than that it predicts numbers; they may be a class's probability.
[[noreturn]] void refuse_numbers(const ColumnInfo& column, const std::vector<double>& values) {
  const std::string name = printable(column.name);
  if (column.is_categorical()) {
    throw Error(ErrorKind::data,
                "the target " + name + " holds text (" + listed(value_names(column, values)) +
                    ") where the model predicts numbers",
                marked("if they are probabilities, give the names of the classes in the model's order as "
                       "{argument:classes}; else name another target"));
  }
  throw Error(
      ErrorKind::usage,
      "log-loss, brier, auc, accuracy and f1 are losses of classes, but the model predicts numbers and the target " +
          name + " holds numbers",
      "use rmse, squared, absolute, r2 or poisson");
}

Caveat one_class(const ColumnInfo& column, const std::vector<double>& values) {
  const std::string name = value_name(column, values.front());
  return {.id = "one-class",
          .severity = Severity::caution,
          .message =
              "every row's " + column.name + " is " + name + ": nothing tells whether the model can tell classes apart",
          .evidence = Value::object({{"target", column.name}, {"class", name}}),
          .advice = "use rows of all classes"};
}

}  // namespace

Outcome::Outcome(const MethodInput& input, bool as_classes, std::vector<double> values)
    : model_outputs_(input.outputs.size()), scale_(input.scale) {
  if (!input.target) {
    throw Error(ErrorKind::usage, "without the true outcomes there is no loss",
                marked("name their column with {option:target}"));
  }
  const ColumnInfo& column = input.schema[*input.target];
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); }),
               values.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.empty()) {
    throw Error(ErrorKind::data, "the target " + printable(column.name) + " has no value in any row",
                marked("name another column with {option:target}"));
  }
  const bool chosen = input.explained.size() == 1 && input.outputs.size() > 1;
  if (chosen) output_name_ = input.outputs[input.explained[0]];
  if (input.task == Task::regression && !as_classes) {
    if (column.is_categorical()) refuse_numbers(column, values);
    if (input.explained.size() > 1) {
      throw Error(ErrorKind::usage,
                  "the model has several outputs (" + listed(input.outputs) + "): the target is one of them",
                  marked("say which with {option:output}"));
    }
    outputs_ = {input.explained[0]};
    if (values.size() == 1) {
      caveats_.push_back(
          {.id = "constant-target",
           .severity = Severity::caution,
           .message = "every row has the same " + column.name + ": no feature can be needed to predict it",
           .evidence = Value::object({{"target", column.name}, {"value", values[0]}}),
           .advice = "use rows in which it varies"});
    }
    return;
  }
  if (input.outputs.size() == 1) {
    classes_ = 2;
    outputs_ = {0};
    match_two(input, input.outputs[0] == "prediction" ? "" : input.outputs[0], values);
  } else {
    // Each class against the rest, if one was asked for.
    match_many(input, input.outputs, values);
    if (chosen) {
      for (auto& [value, index] : class_of_) index = index == static_cast<double>(input.explained[0]) ? 1 : 0;
      outputs_ = {input.explained[0]};
      classes_ = 2;
    } else if (input.outputs.size() == 2) {
      // The chance of the second class says it all, as for a model with one output.
      classes_ = 2;
      outputs_ = {1};
    } else {
      classes_ = input.outputs.size();
      for (std::size_t k = 0; k < classes_; ++k) outputs_.push_back(k);
    }
  }
  const bool varies = std::any_of(class_of_.begin(), class_of_.end(),
                                  [&](const auto& entry) { return entry.second != class_of_.front().second; });
  if (!varies) caveats_.push_back(one_class(column, values));
}

// Two classes and one output, which is called as the second, or has no name of its own.
void Outcome::match_two(const MethodInput& input, const std::string& positive, const std::vector<double>& values) {
  const ColumnInfo& column = input.schema[*input.target];
  // A model that knows no names calls its second class 1.
  const std::string classes =
      positive.empty() || positive == "1" ? "0 and 1" : printable(positive, 40) + " and one other";
  std::size_t found = 0;
  if (!positive.empty()) {
    for (const double value : values) {
      const bool second = is_class(column, value, positive);
      found += second ? 1 : 0;
      class_of_.emplace_back(value, second ? 1.0 : 0.0);
    }
    // A dictionary may know a class that no row has.
    const bool known = found > 0 || (column.is_categorical() && column.dictionary->find(positive).has_value()) ||
                       (!column.is_categorical() && number_or_truth_in(positive).has_value());
    if (known || (column.is_categorical() && values.size() == 1)) {
      if (values.size() - found > 1) refuse(column, classes, values);
      return;
    }
  }
  class_of_.clear();
  for (const double value : values) {
    if (code_of(column, value, 2)) continue;
    // Two different numbers may well be classes.
    const bool numbers = column.is_categorical() || values.size() > 2;
    if (input.task == Task::regression && positive.empty() && numbers) refuse_numbers(column, values);
    refuse(column, classes, values);
  }
  use_codes(input, classes, values);
}

void Outcome::match_many(const MethodInput& input, const std::vector<std::string>& names,
                         const std::vector<double>& values) {
  const ColumnInfo& column = input.schema[*input.target];
  std::map<std::string_view, std::size_t> by_name;
  std::map<double, std::size_t> by_number;
  for (std::size_t k = 0; k < names.size(); ++k) {
    by_name.emplace(names[k], k);
    if (const auto number = number_or_truth_in(names[k])) by_number.emplace(*number, k);
  }
  for (const double value : values) {
    if (column.is_categorical()) {
      const auto at = by_name.find(value_name(column, value));
      if (at != by_name.end()) class_of_.emplace_back(value, static_cast<double>(at->second));
    } else if (const auto at = by_number.find(value); at != by_number.end()) {
      class_of_.emplace_back(value, static_cast<double>(at->second));
    }
  }
  if (class_of_.size() == values.size()) return;
  // Names that are no numbers, and none of them in the target: then its numbers may be codes.
  const bool codes = class_of_.empty() && by_number.empty() &&
                     std::all_of(values.begin(), values.end(),
                                 [&](double value) { return code_of(column, value, names.size()).has_value(); });
  if (!codes) refuse(column, listed(names), values);
  use_codes(input, listed(names), values);
}

void Outcome::use_codes(const MethodInput& input, const std::string& classes, const std::vector<double>& values) {
  const ColumnInfo& column = input.schema[*input.target];
  for (const double value : values) {
    class_of_.emplace_back(value,
                           static_cast<double>(*code_of(column, value, std::max<std::size_t>(2, model_outputs_))));
  }
  if (input.outputs.size() == 1 && input.outputs[0] == "prediction") return;
  caveats_.push_back({.id = "target-codes",
                      .severity = Severity::note,
                      .message = "the values of " + column.name + " (" + listed(value_names(column, values)) +
                                 ") were taken for the model's codes of its classes (" + classes + ")",
                      .evidence = Value::object({{"target", column.name}}),
                      .advice = "check that code 0 is the model's first class"});
}

double Outcome::truth(double value) const {
  if (!std::isfinite(value)) return nothing;
  if (classes_ == 0) return value;
  const auto at = std::lower_bound(class_of_.begin(), class_of_.end(), value,
                                   [](const auto& entry, double wanted) { return entry.first < wanted; });
  return at != class_of_.end() && at->first == value ? at->second : nothing;
}

Loss::Loss(const LossInfo& info, const Outcome& outcome)
    : info_(&info),
      classes_(outcome.classes()),
      width_(info.kind == LossKind::auc ? outcome.outputs().size() : 1),
      model_outputs_(outcome.model_outputs()),
      outputs_(outcome.outputs()) {
  const std::string name = std::string("loss ") + info.name;
  if (info.of_classes && classes_ == 0) throw Error(ErrorKind::internal, name + ": the target is no class");
  if (!info.of_classes && classes_ > 2) {
    throw Error(ErrorKind::usage, name + ": a model of " + std::to_string(classes_) + " classes predicts no number",
                marked("use log-loss, brier, auc, accuracy or f1, or choose a class with {option:output}"));
  }
  const bool ranks = info.kind == LossKind::auc && classes_ == 2;
  if (outcome.scale() == Scale::margin && !ranks) {
    throw Error(ErrorKind::usage, name + ": the target is on the scale of the response, the predictions are not",
                marked("leave out {option:scale} margin"));
  }
}

double Loss::probability(double value) const {
  if (value >= -rounding && value <= 1 + rounding) return std::clamp(value, 0.0, 1.0);
  char buffer[number_text_bytes];
  throw Error(ErrorKind::prediction,
              std::string("loss ") + info_->name + " needs probabilities, but the model predicted " +
                  std::string(print_number(buffer, value)),
              classes_ == 2 ? "use auc, which needs only an order, or a model that predicts probabilities"
                            : "use a model that predicts probabilities");
}

void Loss::terms(std::span<const double> prediction, double truth, std::span<double> out) const {
  const double first = prediction[outputs_[0]];
  const auto of_class = [&](std::size_t k) { return probability(prediction[outputs_[k]]); };
  const auto likeliest = [&]() -> std::size_t {
    if (classes_ == 2) return probability(first) > 0.5 ? 1 : 0;
    std::size_t best = 0;
    for (std::size_t k = 1; k < classes_; ++k) {
      if (of_class(k) > of_class(best)) best = k;
    }
    return best;
  };
  switch (info_->kind) {
    case LossKind::squared:
    case LossKind::rmse:
    case LossKind::r2: out[0] = (truth - first) * (truth - first); return;
    case LossKind::absolute: out[0] = std::abs(truth - first); return;
    case LossKind::poisson: {
      if (truth < 0) {
        throw Error(ErrorKind::data, "loss poisson: the target has negative values", "use squared or absolute");
      }
      if (first < 0 || (first == 0 && truth > 0)) {
        throw Error(
            ErrorKind::prediction,
            "loss poisson needs predictions above 0, but the model predicted " + std::string(first < 0 ? "less" : "0"),
            "use squared or absolute");
      }
      out[0] = std::max(0.0, 2 * ((truth > 0 ? truth * std::log(truth / first) : 0) - truth + first));
      return;
    }
    case LossKind::log_loss: {
      const double p = classes_ > 2 ? of_class(static_cast<std::size_t>(truth))
                       : truth == 1 ? probability(first)
                                    : 1 - probability(first);
      out[0] = -std::log(std::clamp(p, clip, 1 - clip));
      return;
    }
    case LossKind::brier: {
      if (classes_ == 2) {
        out[0] = (probability(first) - truth) * (probability(first) - truth);
        return;
      }
      out[0] = 0;
      for (std::size_t k = 0; k < classes_; ++k) {
        const double miss = of_class(k) - (static_cast<double>(k) == truth ? 1 : 0);
        out[0] += miss * miss;
      }
      return;
    }
    case LossKind::accuracy: out[0] = static_cast<double>(likeliest()) == truth ? 1 : 0; return;
    case LossKind::f1: out[0] = static_cast<double>(likeliest()); return;
    case LossKind::auc:
      for (std::size_t k = 0; k < outputs_.size(); ++k) out[k] = prediction[outputs_[k]];
      return;
  }
}

std::vector<double> Loss::best_constant(std::span<const double> truths, std::span<const double> weights) const {
  std::vector<double> prediction(model_outputs_, 0.0);
  if (classes_ > 2) {
    std::vector<ExactSum> shares(classes_);
    ExactSum total;
    for (std::size_t row = 0; row < truths.size(); ++row) {
      shares[static_cast<std::size_t>(truths[row])].add(weights[row]);
      total.add(weights[row]);
    }
    for (std::size_t k = 0; k < classes_; ++k) prediction[outputs_[k]] = shares[k].value() / total.value();
    return prediction;
  }
  if (info_->kind == LossKind::absolute) {
    std::vector<std::pair<double, double>> sorted;
    for (std::size_t row = 0; row < truths.size(); ++row) sorted.emplace_back(truths[row], weights[row]);
    std::sort(sorted.begin(), sorted.end());
    ExactSum total, below;
    for (const auto& [truth, weight] : sorted) total.add(weight);
    for (const auto& [truth, weight] : sorted) {
      below.add(weight);
      if (2 * below.value() < total.value()) continue;
      prediction[outputs_[0]] = truth;
      break;
    }
    return prediction;
  }
  ExactSum sum, total;
  for (std::size_t row = 0; row < truths.size(); ++row) {
    sum.add_product(truths[row], weights[row]);
    total.add(weights[row]);
  }
  const double mean = sum.value() / total.value();
  // The more frequent class; without the second one there is no f1, so that one is worth claiming always.
  if (info_->kind == LossKind::f1 && mean > 0) {
    prediction[outputs_[0]] = 1;
  } else {
    prediction[outputs_[0]] = mean;
  }
  return prediction;
}

std::optional<double> Loss::skill(double value, double constant) const {
  const double gap = info_->score ? 1 - constant : constant;
  // Where all truths are the same a constant is right but for the clipping of log-loss: nothing to be skilled at.
  const double clipped = info_->kind == LossKind::log_loss ? 1e-12 : 0;
  if (!(gap > clipped) || !std::isfinite(value) || !std::isfinite(gap)) return std::nullopt;
  return info_->score ? (value - constant) / gap : 1 - value / gap;
}

LossSum::LossSum(const Loss& loss)
    : kind_(loss.info().kind),
      classes_(loss.classes()),
      width_(loss.width()),
      hits_(kind_ == LossKind::f1 ? classes_ : 0),
      scores_(kind_ == LossKind::auc ? width_ : 0) {}

void LossSum::add(std::span<const double> terms, double truth, double weight) {
  add_all(terms, {&truth, 1}, {&weight, 1});
}

void LossSum::add_all(std::span<const double> terms, std::span<const double> truths, std::span<const double> weights) {
  const auto weight = [&](std::size_t row) { return weights.empty() ? 1.0 : weights[row]; };
  if (weights.empty()) {
    weight_.add(static_cast<double>(truths.size()));
  } else {
    weight_.add_all(weights);
  }
  if (kind_ == LossKind::auc) {
    for (std::size_t k = 0; k < width_; ++k) {
      const double positive = width_ == 1 ? 1 : static_cast<double>(k);
      for (std::size_t row = 0; row < truths.size(); ++row) {
        if (weight(row) > 0) scores_[k].push_back({terms[row * width_ + k], weight(row), truths[row] == positive});
      }
    }
    return;
  }
  if (kind_ == LossKind::f1) {
    for (std::size_t row = 0; row < truths.size(); ++row) {
      Hits& predicted = hits_[static_cast<std::size_t>(terms[row])];
      predicted.predicted.add(weight(row));
      hits_[static_cast<std::size_t>(truths[row])].there.add(weight(row));
      if (terms[row] == truths[row]) predicted.right.add(weight(row));
    }
    return;
  }
  if (weights.empty()) {
    sum_.add_all(terms);
  } else {
    for (std::size_t row = 0; row < truths.size(); ++row) sum_.add_product(terms[row], weight(row));
  }
  if (kind_ != LossKind::r2) return;
  for (std::size_t row = 0; row < truths.size(); ++row) {
    truths_.add(truths[row], weight(row));
    if (!(weight(row) > 0)) continue;
    least_truth_ = std::min(least_truth_, truths[row]);
    largest_truth_ = std::max(largest_truth_, truths[row]);
  }
}

void LossSum::merge(const LossSum& other) {
  weight_.merge(other.weight_);
  sum_.merge(other.sum_);
  truths_.merge(other.truths_);
  least_truth_ = std::min(least_truth_, other.least_truth_);
  largest_truth_ = std::max(largest_truth_, other.largest_truth_);
  for (std::size_t k = 0; k < hits_.size(); ++k) {
    hits_[k].right.merge(other.hits_[k].right);
    hits_[k].predicted.merge(other.hits_[k].predicted);
    hits_[k].there.merge(other.hits_[k].there);
  }
  for (std::size_t k = 0; k < scores_.size(); ++k)
    scores_[k].insert(scores_[k].end(), other.scores_[k].begin(), other.scores_[k].end());
}

void LossSum::save(ByteSink& sink) const {
  weight_.save(sink);
  sum_.save(sink);
  truths_.save(sink);
  sink.f64(least_truth_);
  sink.f64(largest_truth_);
  for (const Hits& hits : hits_) {
    hits.right.save(sink);
    hits.predicted.save(sink);
    hits.there.save(sink);
  }
  for (const auto& scores : scores_) {
    sink.u64(scores.size());
    for (const Scored& scored : scores) {
      sink.f64(scored.score);
      sink.f64(scored.weight);
      sink.u64(scored.positive ? 1 : 0);
    }
  }
}

void LossSum::load(ByteSource& source) {
  weight_.load(source);
  sum_.load(source);
  truths_.load(source);
  least_truth_ = source.f64();
  largest_truth_ = source.f64();
  for (Hits& hits : hits_) {
    hits.right.load(source);
    hits.predicted.load(source);
    hits.there.load(source);
  }
  for (auto& scores : scores_) {
    scores.resize(source.count(24));
    for (Scored& scored : scores) {
      scored.score = source.f64();
      scored.weight = source.f64();
      scored.positive = source.u64() != 0;
    }
  }
}

// Σ over pairs of a positive and a negative row of [score higher] + [equal]/2, by their weights.
double LossSum::area(std::size_t scores) const {
  std::vector<Scored> sorted = scores_[scores];
  // Any order of rows must give the same bits, so that ties are put in an order too.
  std::sort(sorted.begin(), sorted.end(), [](const Scored& a, const Scored& b) {
    return std::tie(a.score, a.positive, a.weight) < std::tie(b.score, b.positive, b.weight);
  });
  double negatives = 0, positives = 0, above = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    double tied_negatives = 0, tied_positives = 0;
    std::size_t end = begin;
    for (; end < sorted.size() && sorted[end].score == sorted[begin].score; ++end)
      (sorted[end].positive ? tied_positives : tied_negatives) += sorted[end].weight;
    above += tied_positives * (negatives + tied_negatives / 2);
    negatives += tied_negatives;
    positives += tied_positives;
    begin = end;
  }
  return above / (positives * negatives);
}

bool LossSum::both(std::size_t scores) const {
  const auto& rows = scores_[scores];
  return std::any_of(rows.begin(), rows.end(), [](const Scored& row) { return row.positive; }) &&
         std::any_of(rows.begin(), rows.end(), [](const Scored& row) { return !row.positive; });
}

double LossSum::value() const {
  const double total = weight_.value();
  if (!(total > 0)) return nothing;
  const double mean = sum_.value() / total;
  switch (kind_) {
    case LossKind::rmse: return std::sqrt(mean);
    case LossKind::r2: {
      const double variance = truths_.variance(weight_.pair());
      if (!defined()) return mean == 0 ? 1 : 0;
      return 1 - mean / variance;
    }
    case LossKind::f1: {
      double sum = 0;
      std::size_t counted = 0;
      for (std::size_t k = classes_ == 2 ? 1 : 0; k < classes_; ++k) {
        const double there = hits_[k].there.value() + hits_[k].predicted.value();
        if (!(there > 0)) continue;
        sum += 2 * hits_[k].right.value() / there;
        ++counted;
      }
      return counted == 0 ? 0 : sum / static_cast<double>(counted);
    }
    case LossKind::auc: {
      double sum = 0;
      std::size_t counted = 0;
      for (std::size_t k = 0; k < width_; ++k) {
        if (!both(k)) continue;
        sum += area(k);
        ++counted;
      }
      return counted == 0 ? 0.5 : sum / static_cast<double>(counted);
    }
    default: return mean;
  }
}

bool LossSum::defined() const {
  switch (kind_) {
    // The variance of equal numbers may be a little above 0 by rounding.
    case LossKind::r2: return least_truth_ < largest_truth_ && truths_.variance(weight_.pair()) > 0;
    case LossKind::auc:
      for (std::size_t k = 0; k < width_; ++k) {
        if (!both(k)) return false;
      }
      return true;
    default: return true;
  }
}

}  // namespace sightglass
