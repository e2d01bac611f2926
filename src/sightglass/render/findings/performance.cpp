// What the model is worth: how much it explains, how far it is off, against the best constant prediction.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sightglass/render/findings/evidence_internal.h"
#include "sightglass/render/readable.h"

namespace sightglass::telling {

namespace {

// Below this a model is called hardly better than a constant.
constexpr double hardly_better = 0.1;

struct Skill {
  std::string measure;
  double skill = 0;
};

// Skills that a constant cannot beat by chance of the classes' sizes come first; accuracy is no judge of whether a
// model knows anything, because the most frequent class may be right nearly always.
std::vector<Skill> skills_of(const Evidence& evidence) {
  std::vector<Skill> skills;
  for (const char* name :
       {"r2", "rmse", "squared error", "absolute error", "poisson deviance", "log-loss", "brier", "auc"}) {
    if (const auto found = evidence.figure(std::string("skill by ") + name))
      skills.push_back({name, found->figure->value});
  }
  if (skills.empty()) {
    if (const auto found = evidence.figure("r2")) skills.push_back({"r2", found->figure->value});
    if (const auto found = evidence.figure("auc")) skills.push_back({"auc", 2 * found->figure->value - 1});
  }
  return skills;
}

std::optional<double> best_skill(const Evidence& evidence) {
  const auto skills = skills_of(evidence);
  if (!skills.empty()) {
    return std::max_element(skills.begin(), skills.end(),
                            [](const Skill& a, const Skill& b) { return a.skill < b.skill; })
        ->skill;
  }
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

// Skill of a loss: 1 − loss / that of the best constant.
std::optional<double> loss_of_constant(const Evidence& evidence, const std::string& name, double loss) {
  const auto skill = evidence.figure("skill by " + name);
  if (!skill || !(skill->figure->value < 1)) return std::nullopt;
  return loss / (1 - skill->figure->value);
}

// Shares so near to 1 that rounding would say what is not so.
std::string careful_percent(double share) {
  if (share >= 1 - 1e-9) return "all";
  if (share >= 0.995 && share < 1)
    return share >= 0.9995 ? "more than 99.9 %" : readable(std::floor(1000 * share) / 10) + " %";
  return percent(share);
}

std::optional<Evidence::Number> variance_explained(const Evidence& evidence, double& share) {
  if (const auto found = evidence.figure("r2")) {
    share = found->figure->value;
    return found;
  }
  if (const auto found = evidence.figure("skill by squared error")) {
    share = found->figure->value;
    return found;
  }
  // The best constant by rmse is the mean, so that its squared ratio is what R² leaves.
  if (const auto found = evidence.figure("skill by rmse")) {
    share = 1 - (1 - found->figure->value) * (1 - found->figure->value);
    return found;
  }
  return std::nullopt;
}

std::string about_numbers(const Evidence& evidence) {
  double share = 0;
  const auto explained = variance_explained(evidence, share);
  const auto off = evidence.figure("absolute error");
  const auto rmse = evidence.figure("rmse");
  std::string error;
  const auto constant = [&](const std::string& name, double loss) {
    const auto found = loss_of_constant(evidence, name, loss);
    return found ? ", a constant prediction by " + amount(*found) : std::string();
  };
  if (off) {
    error = "it is off by " + amount_of(*off->result, off->figure->value) + " on average" +
            constant("absolute error", off->figure->value);
  } else if (rmse) {
    error = "its typical error (rmse) is " + amount_of(*rmse->result, rmse->figure->value);
    if (const auto found = loss_of_constant(evidence, "rmse", rmse->figure->value))
      error += ", that of a constant prediction " + amount(*found);
  }
  if (explained && share > 0) {
    const Result& result = *explained->result;
    return "The model explains " + std::string(share < hardly_better ? "only " : "") + careful_percent(share) +
           " of the variance of " + target_of(result) + on_rows(result) +
           (error.empty() || share >= 1 - 1e-9 ? "" : "; " + error);
  }
  if (error.empty()) return {};
  const Result& result = off ? *off->result : *rmse->result;
  return "Predicting " + target_of(result) + on_rows(result) + ", " + error;
}

std::string about_classes(const Evidence& evidence) {
  const auto accuracy = evidence.figure("accuracy"), auc = evidence.figure("auc");
  if (accuracy) {
    const Result& result = *accuracy->result;
    const double right = accuracy->figure->value;
    std::string text = "The model names the right class of " + target_of(result) + " in " + careful_percent(right) +
                       " of " + (scored_rows(result).empty() ? "the rows" : scored_rows(result));
    if (auc) text += " (AUC " + readable(std::round(1000 * auc->figure->value) / 1000) + ")";
    // (accuracy − constant) / (1 − constant)
    if (const auto skill = evidence.figure("skill by accuracy"); skill && skill->figure->value < 1) {
      const double constant = (right - skill->figure->value) / (1 - skill->figure->value);
      text += "; always naming the most frequent one would be right in " + careful_percent(constant);
    }
    return text;
  }
  if (auc) {
    return "The model tells the classes of " + target_of(*auc->result) + " apart with an AUC of " +
           readable(std::round(1000 * auc->figure->value) / 1000) + on_rows(*auc->result) +
           " (1 is perfect, 0.5 is chance)";
  }
  for (const char* name : {"log-loss", "brier"}) {
    const auto skill = evidence.figure(std::string("skill by ") + name);
    if (!skill || !(skill->figure->value > 0)) continue;
    return "The model takes away " + careful_percent(skill->figure->value) + " of the " + name +
           " that a constant prediction of " + target_of(*skill->result) + " has" + on_rows(*skill->result);
  }
  return {};
}

// Rows that a measure of skill was found on.
std::string weak_rows(const Evidence& evidence) {
  for (const Skill& skill : skills_of(evidence)) {
    if (const auto found = evidence.figure("skill by " + skill.measure)) return on_rows(*found->result);
    if (const auto found = evidence.figure(skill.measure)) return on_rows(*found->result);
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
