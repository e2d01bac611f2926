// Quality against size: surrogates of several kinds and sizes, or one model along its penalty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/loss_kind.h"

namespace sightglass {

class Fields;
class TidyRows;

struct FrontierPoint {
  std::string learner;  // its name: "tree"
  std::string title;    // of the learner: "Decision tree"
  std::uint64_t size = 0;
  double value = 0;  // the measure on rows held out, or left out one by one
  std::optional<double> se = std::nullopt;
  std::optional<double> low = std::nullopt, high = std::nullopt;  // a band
  bool best = false;                                              // no smaller one is better: on the frontier
  bool chosen = false;                                            // the knee
};

struct Frontier {
  static constexpr std::string_view type = "frontier";  // its name in JSON

  std::string output;
  std::string group;
  std::string measure = "r2";
  std::optional<LossKind> loss = std::nullopt;  // measured by it, against the outcome; none: fidelity to a model
  std::string size_name = "size";               // what sizes count: "leaves, rules or terms"
  std::vector<FrontierPoint> points;
  Value details = Value::object();
};

void describe_fields(Frontier& frontier, Fields& fields);
void tidy_rows(const Frontier& frontier, TidyRows& rows);
[[nodiscard]] std::string item_title(const Frontier& frontier);

}  // namespace sightglass
