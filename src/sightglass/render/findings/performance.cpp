// What the model is worth: how much it explains, how far it is off, against the best constant prediction.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "sightglass/render/findings/evidence_internal.h"
#include "sightglass/render/readable.h"

namespace sightglass::telling {

namespace {

// Below this a model is called hardly better than a constant.
constexpr double hardly_better = 0.1;

// What the best constant prediction has by the same measure. A figure has no other place for it than its meaning:
// "the lower, the better; the best constant prediction has 133.8".
std::optional<double> constant_in(const Figure& figure) {
  static constexpr std::string_view start = "the best constant prediction has ";
  const auto at = figure.meaning.find(start);
  if (at == std::string::npos) return std::nullopt;
  double value = 0;
  const char* text = figure.meaning.data() + at + start.size();
  const auto read = std::from_chars(text, figure.meaning.data() + figure.meaning.size(), value);
  return read.ec == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// 1 = perfect, 0 = no better than the best constant prediction.
std::optional<double> skill_by(const Evidence& evidence, const std::string& name) {
  if (const auto found = evidence.figure("skill by " + name)) return found->figure->value;
  const auto found = evidence.figure(name);
  if (!found) return std::nullopt;
  const double value = found->figure->value;
  if (name == "r2") return value;
  if (name == "auc") return 2 * value - 1;
  const auto constant = constant_in(*found->figure);
  if (!constant) return std::nullopt;
  if (is_score(name)) return *constant < 1 ? std::optional((value - *constant) / (1 - *constant)) : std::nullopt;
  return *constant > 0 ? std::optional(1 - value / *constant) : std::nullopt;
}

// The value that a constant has, by the skill against it.
std::optional<double> of_constant(const Evidence& evidence, const std::string& name) {
  const auto found = evidence.figure(name);
  if (!found) return std::nullopt;
  if (const auto constant = constant_in(*found->figure)) return constant;
  const auto skill = skill_by(evidence, name);
  if (!skill || !(*skill < 1)) return std::nullopt;
  const double value = found->figure->value;
  return is_score(name) ? (value - *skill) / (1 - *skill) : value / (1 - *skill);
}

// Accuracy is no judge of whether a model knows anything: the most frequent class may be right nearly always.
constexpr const char* judges[] = {"r2",    "rmse", "squared error", "absolute error", "poisson deviance", "log-loss",
                                  "brier", "auc"};

std::optional<double> best_skill(const Evidence& evidence) {
  std::optional<double> best;
  for (const char* name : judges) {
    const auto skill = skill_by(evidence, name);
    if (skill && !(best && *best >= *skill)) best = skill;
  }
  if (best) return best;
  const Caveat* weak = evidence.caveat("weak-model");
  return weak == nullptr ? std::nullopt : number_member(weak->evidence, "value");
}

std::string target_of(const Result& result) {
  const std::string target = text_member(result.data, "target");
  return target.empty() ? "the target" : name_of(target);
}

// "these 333 rows": those whose target is known.
std::string scored_rows(const Result& result) {
  const auto left_out = std::find_if(result.caveats.begin(), result.caveats.end(),
                                     [](const Caveat& caveat) { return caveat.id == "missing-target"; });
  const auto rows = number_member(result.data, "rows");
  if (left_out == result.caveats.end() || !rows) return rows_of(result);
  const auto without = number_member(left_out->evidence, "rows");
  if (!without || !(*without < *rows)) return "the rows whose target is known";
  return "the " + readable(*rows - *without) + " rows whose target is known";
}

std::string on_rows(const Result& result) {
  const Value* trained = result.options.find("training_data");
  const bool training = trained != nullptr && trained->is_bool() && trained->as_bool();
  const std::string rows = scored_rows(result);
  if (training) return rows.empty() ? ", on rows it was trained on" : ", on " + rows + " it was trained on";
  return rows.empty() ? "" : " on " + rows;
}

// Shares so near to 1 that rounding would say what is not so.
std::string careful_percent(double share) {
  if (share >= 1 - 1e-9) return "all";
  if (share >= 0.995 && share < 1)
    return share >= 0.9995 ? "more than 99.9 %" : readable(std::floor(1000 * share) / 10) + " %";
  return percent(share);
}

// Share of the target's variance.
std::optional<double> variance_explained(const Evidence& evidence) {
  if (const auto r2 = skill_by(evidence, "r2")) return r2;
  if (const auto squared = skill_by(evidence, "squared error")) return squared;
  // The best constant by rmse is the mean, so that its squared ratio is what R² leaves.
  if (const auto root = skill_by(evidence, "rmse")) return 1 - (1 - *root) * (1 - *root);
  return std::nullopt;
}

// The result that has one of these figures, or their skill.
const Result* measured_by(const Evidence& evidence, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = evidence.figure(name)) return found->result;
    if (const auto found = evidence.figure(std::string("skill by ") + name)) return found->result;
  }
  return nullptr;
}

std::string about_numbers(const Evidence& evidence) {
  const Result* result = measured_by(evidence, {"r2", "squared error", "rmse", "absolute error"});
  if (result == nullptr) return {};
  const auto share = variance_explained(evidence);
  const auto off = evidence.figure("absolute error"), rmse = evidence.figure("rmse");
  std::string error;
  if (off) {
    error = "it is off by " + amount_of(*off->result, off->figure->value) + " on average";
    if (const auto constant = of_constant(evidence, "absolute error"))
      error += ", a constant prediction by " + amount(*constant);
  } else if (rmse) {
    error = "its typical error (rmse) is " + amount_of(*rmse->result, rmse->figure->value);
    if (const auto constant = of_constant(evidence, "rmse"))
      error += ", that of a constant prediction " + amount(*constant);
  }
  if (share && *share > 0) {
    return "The model explains " + std::string(*share < hardly_better ? "only " : "") + careful_percent(*share) +
           " of the variance of " + target_of(*result) + on_rows(*result) +
           (error.empty() || *share >= 1 - 1e-9 ? "" : "; " + error);
  }
  return error.empty() ? "" : "Predicting " + target_of(*result) + on_rows(*result) + ", " + error;
}

// Nearly 1 is not 1.
std::string auc_text(double auc) {
  return auc < 1 && auc >= 0.9995 ? "above 0.999" : readable(std::round(1000 * auc) / 1000);
}

std::string about_classes(const Evidence& evidence) {
  const auto accuracy = evidence.figure("accuracy"), auc = evidence.figure("auc");
  if (accuracy) {
    const Result& result = *accuracy->result;
    const std::string rows = scored_rows(result);
    std::string text = "The model names the right class of " + target_of(result) + " in " +
                       careful_percent(accuracy->figure->value) + " of " + (rows.empty() ? "the rows" : rows);
    if (auc) text += " (AUC " + auc_text(auc->figure->value) + ")";
    if (const auto constant = of_constant(evidence, "accuracy"))
      text += "; always naming the most frequent one would be right in " + careful_percent(*constant);
    return text;
  }
  if (auc) {
    return "The model tells the classes of " + target_of(*auc->result) + " apart with an AUC of " +
           auc_text(auc->figure->value) + on_rows(*auc->result) + " (1 is perfect, 0.5 is chance)";
  }
  for (const char* name : {"log-loss", "brier"}) {
    const auto skill = skill_by(evidence, name);
    const Result* result = measured_by(evidence, {name});
    if (!skill || !(*skill > 0) || result == nullptr) continue;
    return "The model takes away " + careful_percent(*skill) + " of the " + name + " that a constant prediction of " +
           target_of(*result) + " has" + on_rows(*result);
  }
  return {};
}

// Rows that a measure of skill was found on.
std::string weak_rows(const Evidence& evidence) {
  for (const char* name : judges) {
    if (const Result* result = measured_by(evidence, {name})) return on_rows(*result);
  }
  return "";
}

}  // namespace

bool knows_nothing(const Evidence& evidence) {
  const auto skill = best_skill(evidence);
  return skill && *skill <= 0;
}

std::vector<Candidate> performance(const Evidence& evidence) {
  const auto skill = best_skill(evidence);
  const auto said = [](std::string text) {
    return std::vector<Candidate>{{{std::move(text) + ".", {}, "other"}, Place::performance, 100}};
  };
  const std::string target = evidence.results().empty() ? "the target" : target_of(*evidence.results().front());
  if (skill && *skill <= 0) {
    return said("The model predicts " + target + " no better than a constant does" + weak_rows(evidence) +
                ": what else is said here describes the model, not the data");
  }
  std::string text = about_numbers(evidence);
  if (text.empty()) text = about_classes(evidence);
  if (!text.empty()) return said(text);
  if (skill && *skill < hardly_better) {
    return said("The model is hardly better than a constant prediction of " + target + ": it takes away " +
                percent(*skill) + " of its loss");
  }
  return {};
}

}  // namespace sightglass::telling
