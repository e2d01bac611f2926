// What the model is worth: how much it explains, how far it is off, against the best constant prediction.
#include <algorithm>
#include <cmath>

#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/readable.h"

namespace sightglass::finders {

std::string careful_percent(double share) {
  if (share >= 1 - 1e-9) return "all";
  if (share >= 0.995 && share < 1)
    return share >= 0.9995 ? "more than 99.9 %" : readable(std::floor(1000 * share) / 10) + " %";
  return percent(share);
}

namespace {

// Below this a model is called hardly better than a constant.
constexpr double hardly_better = 0.1;

// From here on a score is so near to perfect that one should ask why.
constexpr double near_perfect = 0.999;

// What the best constant prediction has by the same measure, where the result says so.
std::optional<double> constant_in(const Result& result, LossKind loss) {
  const Value* constants = result.data.find("best_constant");
  return constants != nullptr && constants->is_object() ? number_member(*constants, label_of(loss)) : std::nullopt;
}

// 1 = perfect, 0 = no better than the best constant prediction.
std::optional<double> skill_by(const Evidence& evidence, LossKind loss) {
  if (const auto found = evidence.figure(FigureId::skill, loss)) return found->figure->value;
  const auto found = evidence.figure(FigureId::loss, loss);
  if (!found) return std::nullopt;
  const double value = found->figure->value;
  if (loss == LossKind::r2) return value;
  if (loss == LossKind::auc) return 2 * value - 1;
  const auto constant = constant_in(*found->result, loss);
  if (!constant) return std::nullopt;
  if (is_score(loss)) return *constant < 1 ? std::optional((value - *constant) / (1 - *constant)) : std::nullopt;
  return *constant > 0 ? std::optional(1 - value / *constant) : std::nullopt;
}

// The value that a constant has, by the skill against it.
std::optional<double> of_constant(const Evidence& evidence, LossKind loss) {
  const auto found = evidence.figure(FigureId::loss, loss);
  if (!found) return std::nullopt;
  if (const auto constant = constant_in(*found->result, loss)) return constant;
  const auto skill = skill_by(evidence, loss);
  if (!skill || !(*skill < 1)) return std::nullopt;
  const double value = found->figure->value;
  return is_score(loss) ? (value - *skill) / (1 - *skill) : value / (1 - *skill);
}

// Accuracy is no judge of whether a model knows anything: the most frequent class may be right nearly always.
constexpr LossKind judges[] = {LossKind::r2,      LossKind::rmse,     LossKind::squared, LossKind::absolute,
                               LossKind::poisson, LossKind::log_loss, LossKind::brier,   LossKind::auc};

std::optional<double> best_skill(const Evidence& evidence) {
  std::optional<double> best;
  for (const LossKind loss : judges) {
    const auto skill = skill_by(evidence, loss);
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

// "these 1,000 rows", or "the 333 rows whose target is known": those that a score is made of.
std::string scored_rows(const Result& result) {
  const auto rows = number_member(result.data, "rows"), scored = number_member(result.data, "scored_rows");
  if (!rows || !scored || !(*scored < *rows)) return rows_of(result);
  const auto unknown = std::find_if(result.caveats.begin(), result.caveats.end(),
                                    [](const Caveat& caveat) { return caveat.id == "missing-target"; });
  const bool all_known = unknown == result.caveats.end();
  const double left_out = all_known ? 0 : number_member(unknown->evidence, "rows").value_or(0);
  std::string which = *scored + left_out < *rows ? " rows with a weight" : " rows";
  if (!all_known) which += " whose target is known";
  return "the " + readable(*scored) + which;
}

bool trained_on(const Result& result) {
  const Value* trained = result.options.find("training_data");
  return trained != nullptr && trained->is_bool() && trained->as_bool();
}

std::string on_rows(const Result& result) {
  const std::string rows = scored_rows(result);
  if (trained_on(result)) return rows.empty() ? ", on rows it was trained on" : ", on " + rows + " it was trained on";
  return rows.empty() ? "" : " on " + rows;
}

// Share of the target's variance.
std::optional<double> variance_explained(const Evidence& evidence) {
  if (const auto r2 = skill_by(evidence, LossKind::r2)) return r2;
  if (const auto squared = skill_by(evidence, LossKind::squared)) return squared;
  // The best constant by rmse is the mean, so that its squared ratio is what R² leaves.
  if (const auto root = skill_by(evidence, LossKind::rmse)) return 1 - (1 - *root) * (1 - *root);
  return std::nullopt;
}

// The result that has one of these figures, or their skill.
const Result* measured_by(const Evidence& evidence, std::initializer_list<LossKind> losses) {
  for (const LossKind loss : losses) {
    if (const auto found = evidence.figure(FigureId::loss, loss)) return found->result;
    if (const auto found = evidence.figure(FigureId::skill, loss)) return found->result;
  }
  return nullptr;
}

std::string about_numbers(const Evidence& evidence) {
  const Result* result = measured_by(evidence, {LossKind::r2, LossKind::squared, LossKind::rmse, LossKind::absolute});
  if (result == nullptr) return {};
  const auto share = variance_explained(evidence);
  const auto off = evidence.figure(FigureId::loss, LossKind::absolute),
             rmse = evidence.figure(FigureId::loss, LossKind::rmse);
  std::string error;
  if (off) {
    error = "it is off by " + amount_of(*off->result, off->figure->value) + " on average";
    if (const auto constant = of_constant(evidence, LossKind::absolute))
      error += ", a constant prediction by " + amount(*constant);
  } else if (rmse) {
    error = "its typical error (rmse) is " + amount_of(*rmse->result, rmse->figure->value);
    if (const auto constant = of_constant(evidence, LossKind::rmse))
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

// At most three, the best known first.
constexpr std::size_t most_scores = 3;

std::vector<ShownScore> scores_of_numbers(const Evidence& evidence) {
  std::vector<ShownScore> list;
  if (const auto share = variance_explained(evidence))
    list.push_back({careful_percent(std::max(*share, 0.0)), "of the variation explained", "R²"});
  const auto error = [&](LossKind loss, const char* words, const char* name) {
    if (const auto found = evidence.figure(FigureId::loss, loss))
      list.push_back({amount_of(*found->result, found->figure->value), words, name});
  };
  error(LossKind::absolute, "off on average", "mean absolute error");
  error(LossKind::rmse, "typical error, large ones count more", "RMSE");
  return list;
}

std::string about_classes(const Evidence& evidence) {
  const auto accuracy = evidence.figure(FigureId::loss, LossKind::accuracy),
             auc = evidence.figure(FigureId::loss, LossKind::auc);
  if (accuracy) {
    const Result& result = *accuracy->result;
    const std::string rows = scored_rows(result);
    std::string text = "The model names the right class of " + target_of(result) + " in " +
                       careful_percent(accuracy->figure->value) + " of " + (rows.empty() ? "the rows" : rows) +
                       (trained_on(result) ? " it was trained on" : "");
    if (auc) text += " (AUC " + auc_text(auc->figure->value) + ")";
    const Caveat* weak = evidence.caveat("weak-model");
    if (weak != nullptr && weak->evidence.find("auc") != nullptr)
      return text + ": its two classes look swapped, for it orders the rows the wrong way round";
    if (const auto constant = of_constant(evidence, LossKind::accuracy))
      text += "; always naming the most frequent one would be right in " + careful_percent(*constant);
    return text;
  }
  if (auc) {
    return "The model tells the classes of " + target_of(*auc->result) + " apart with an AUC of " +
           auc_text(auc->figure->value) + on_rows(*auc->result) + " (1 is perfect, 0.5 is chance)";
  }
  for (const LossKind loss : {LossKind::log_loss, LossKind::brier}) {
    const auto skill = skill_by(evidence, loss);
    const Result* result = measured_by(evidence, {loss});
    if (!skill || !(*skill > 0) || result == nullptr) continue;
    return "The model takes away " + careful_percent(*skill) + " of the " + std::string(label_of(loss)) +
           " that a constant prediction of " + target_of(*result) + " has" + on_rows(*result);
  }
  return {};
}

std::vector<ShownScore> scores_of_classes(const Evidence& evidence) {
  std::vector<ShownScore> list;
  if (const auto accuracy = evidence.figure(FigureId::loss, LossKind::accuracy))
    list.push_back({careful_percent(accuracy->figure->value), "of the rows get their right class", "accuracy"});
  if (const auto constant = of_constant(evidence, LossKind::accuracy); constant && !list.empty())
    list.push_back({careful_percent(*constant), "by always naming the most frequent class", "for comparison"});
  if (const auto auc = evidence.figure(FigureId::loss, LossKind::auc))
    list.push_back(
        {auc_text(auc->figure->value), "how well classes are told apart: 1 is perfect, 0.5 is chance", "AUC"});
  for (const LossKind loss : {LossKind::log_loss, LossKind::brier}) {
    const auto skill = skill_by(evidence, loss);
    if (list.size() < most_scores && skill && *skill > 0) {
      list.push_back(
          {careful_percent(*skill), "of the error of a constant prediction taken away", std::string(label_of(loss))});
      break;
    }
  }
  return list;
}

// The result of a target that never varies: a constant is as right of it as can be.
const Result* constant_target(const Evidence& evidence) {
  for (const Result* result : evidence.results()) {
    const bool said = std::any_of(result->caveats.begin(), result->caveats.end(), [](const Caveat& caveat) {
      // In one group of rows it says nothing about the others.
      if (caveat.evidence.find("group") != nullptr || caveat.evidence.find("groups") != nullptr) return false;
      return caveat.id == "constant-target" || caveat.id == "one-class";
    });
    if (said) return result;
  }
  return nullptr;
}

// What a score that is too good to be true may mean; empty if it is not, or known to be of training data.
std::string doubt(const Evidence& evidence) {
  const auto share = variance_explained(evidence);
  const auto auc = evidence.figure(FigureId::loss, LossKind::auc),
             accuracy = evidence.figure(FigureId::loss, LossKind::accuracy);
  const auto most_frequent = of_constant(evidence, LossKind::accuracy);
  const bool numbers = share && *share >= near_perfect;
  const bool ranks = auc && auc->figure->value >= near_perfect;
  const bool names = accuracy && accuracy->figure->value >= near_perfect && !(most_frequent && *most_frequent >= 0.99);
  if (!numbers && !ranks && !names) return {};
  const auto& results = evidence.results();
  if (std::any_of(results.begin(), results.end(), [](const Result* result) { return trained_on(*result); })) return {};
  return "; so good a score is rare on new rows: the model may have been trained on these, or a feature may give the "
         "answer away";
}

// Rows that a measure of skill was found on.
std::string weak_rows(const Evidence& evidence) {
  for (const LossKind loss : judges) {
    if (const Result* result = measured_by(evidence, {loss})) return on_rows(*result);
  }
  return "";
}

}  // namespace

std::vector<ShownScore> scores(const Evidence& evidence) {
  auto list = scores_of_models(evidence);
  if (!list.empty()) return list;
  list = scores_of_numbers(evidence);
  if (list.empty()) list = scores_of_classes(evidence);
  list.resize(std::min(list.size(), most_scores));
  return list;
}

bool knows_nothing(const Evidence& evidence) {
  const auto skill = best_skill(evidence);
  return skill && *skill <= 0 && constant_target(evidence) == nullptr;
}

namespace {

std::vector<Candidate> changing(const Evidence& evidence) {
  const Caveat* caveat = evidence.caveat("changing-answers");
  if (caveat == nullptr) return {};
  const auto largest = number_member(caveat->evidence, "largest_change");
  const std::string by = largest ? " (by up to " + amount(*largest) + ")" : "";
  return {{{"Asked twice about the same rows, the model does not answer the same" + by +
                ": what is said here is partly chance.",
            {},
            "other"},
           Place::performance,
           95,
           {}}};
}

std::vector<Candidate> worth(const Evidence& evidence) {
  const auto skill = best_skill(evidence);
  const auto said = [](std::string text) {
    return std::vector<Candidate>{{{std::move(text) + ".", {}, "other", true}, Place::performance, 100}};
  };
  const std::string target = evidence.results().empty() ? "the target" : target_of(*evidence.results().front());
  if (const Result* constant = constant_target(evidence)) {
    return said("The target " + target + " does not vary" + on_rows(*constant) +
                ": no score of the model can be judged by it");
  }
  if (skill && *skill <= 0) {
    return said("The model predicts " + target + " no better than a constant does" + weak_rows(evidence) +
                ": what else is said here describes the model, not the data");
  }
  std::string text = about_numbers(evidence);
  if (text.empty()) text = about_classes(evidence);
  if (!text.empty()) return said(text + doubt(evidence));
  if (skill && *skill < hardly_better) {
    return said("The model is hardly better than a constant prediction of " + target + ": it takes away " +
                percent(*skill) + " of its loss");
  }
  return {};
}

}  // namespace

std::vector<Candidate> performance(const Evidence& evidence) {
  std::vector<Candidate> list = worth(evidence);
  for (Candidate& told : changing(evidence)) list.push_back(std::move(told));
  return list;
}

}  // namespace sightglass::finders
