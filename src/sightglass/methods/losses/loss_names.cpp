// What losses are called, here and elsewhere.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/data/given_name.h"
#include "sightglass/methods/losses/losses.h"

namespace sightglass {

namespace {

constexpr std::array<LossInfo, 10> loss_infos = {{
    {LossKind::squared, "squared", "squared error", false, true, false},
    {LossKind::absolute, "absolute", "absolute error", false, true, false},
    {LossKind::rmse, "rmse", "rmse", false, false, false},
    {LossKind::r2, "r2", "r2", true, false, false},
    {LossKind::log_loss, "log-loss", "log-loss", false, true, true},
    {LossKind::brier, "brier", "brier", false, true, true},
    {LossKind::auc, "auc", "auc", true, false, true},
    {LossKind::accuracy, "accuracy", "accuracy", true, true, true},
    {LossKind::f1, "f1", "f1", true, false, true},
    {LossKind::poisson, "poisson", "poisson deviance", false, true, false},
}};

// The same losses by the names of other libraries, with - for _ and without scikit-learn's neg_, which only turns the
// sign.
constexpr std::pair<std::string_view, LossKind> other_names[] = {
    {"mae", LossKind::absolute},
    {"mean-absolute-error", LossKind::absolute},
    {"l1", LossKind::absolute},
    {"mse", LossKind::squared},
    {"mean-squared-error", LossKind::squared},
    {"l2", LossKind::squared},
    {"root-mean-squared-error", LossKind::rmse},
    {"r2-score", LossKind::r2},
    {"logloss", LossKind::log_loss},
    {"cross-entropy", LossKind::log_loss},
    {"brier-score", LossKind::brier},
    {"brier-score-loss", LossKind::brier},
    {"roc-auc", LossKind::auc},
    {"roc-auc-score", LossKind::auc},
    {"roc-auc-ovr", LossKind::auc},
    {"accuracy-score", LossKind::accuracy},
    {"f1-score", LossKind::f1},
    {"poisson-deviance", LossKind::poisson},
    {"mean-poisson-deviance", LossKind::poisson},
};

// Whether the name means this loss.
bool is_called(const LossInfo& info, std::string_view name) {
  if (name == info.name) return true;
  std::string plain(name);
  for (char& c : plain) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  std::replace(plain.begin(), plain.end(), '_', '-');
  if (plain.starts_with("neg-")) plain.erase(0, 4);
  return plain == info.name || std::any_of(std::begin(other_names), std::end(other_names), [&](const auto& other) {
           return other.first == plain && other.second == info.kind;
         });
}

}  // namespace

const LossInfo& loss_info(std::string_view name) {
  name = trimmed(name);
  std::vector<std::string> names;
  std::string list;
  for (const LossInfo& info : loss_infos) {
    if (is_called(info, name)) return info;
    names.emplace_back(info.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  for (const auto& other : other_names) names.emplace_back(other.first);
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, "there is no loss " + printable(name),
              (nearest.empty() ? "" : "did you mean " + nearest + "? ") + "it is one of " + list);
}

}  // namespace sightglass
