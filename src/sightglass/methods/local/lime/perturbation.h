// Rows around a row that is explained, as LIME makes them: each feature by itself, from the data's own distribution of
// it, whatever the others are. What a line is fitted to is not the values but what they say of the explained row: 1 if
// a sample has its level, or lies in its bin, else 0; of numbers without bins, standard deviations from the mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/local/lime/lime_options.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/numeric/normal.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

// What is known of a feature. A cell is a level or a bin; the last one is that of missing values. A number without bins
// has one cell besides.
struct PerturbedFeature {
  std::uint32_t column = 0;
  bool levels = false;
  bool whole = false;             // numbers are integers
  std::vector<double> cuts = {};  // ends of bins: cell c holds cuts[c − 1] < x <= cuts[c]
  double mean = 0, sd = 0;        // of finite numbers; 0: constant
  std::vector<double> shares;     // of each cell among the rows
  // Of the numbers in each bin.
  struct Bin {
    double mean = 0, sd = 0, low = 0, high = 0;
  };
  std::vector<Bin> bins = {};
  std::vector<std::uint32_t> cell_of_row;  // of each row that is drawn from

  [[nodiscard]] std::uint32_t missing_cell() const { return static_cast<std::uint32_t>(shares.size()) - 1; }
};

// Made-up rows. Of each feature: the values, their cells, and of numbers without bins how many standard deviations
// they are from the mean before they become whole.
struct Samples {
  std::size_t count = 0;
  std::vector<std::vector<double>> values = {};
  std::vector<std::vector<std::uint32_t>> cells = {};
  std::vector<std::vector<double>> scaled = {};
  std::vector<double> predictions = {};  // [sample × outputs + output]
  std::vector<double> margins = {};      // [sample × explained outputs + output], where they control the fit
};

// What a term is made of.
enum class TermKind { cell, number };

class Perturbation {
 public:
  // The rows must outlive it: values are drawn from them.
  Perturbation(const MethodInput& input, const LimeOptions& options, const LabelledRows& rows);

  [[nodiscard]] std::size_t features() const { return features_.size(); }
  [[nodiscard]] const PerturbedFeature& feature(std::size_t j) const { return features_[j]; }
  [[nodiscard]] const LabelledRows& rows() const { return rows_; }
  [[nodiscard]] std::uint32_t cell(std::size_t feature, double value) const;
  // A number of a feature that has no bins is a number, unless it is missing or the feature never varies.
  [[nodiscard]] TermKind kind(std::size_t feature, double value) const;
  [[nodiscard]] double scaled(std::size_t feature, double value) const {
    return (value - features_[feature].mean) / features_[feature].sd;
  }
  // In words: "12.1 < temp <= 18.4", "season = winter", "humidity is missing".
  [[nodiscard]] ShownCondition condition(std::size_t feature, std::uint32_t cell) const;

  // Whether samples are the same for all rows that are explained: only their weights differ then.
  [[nodiscard]] bool shared(const std::vector<LabelledRow>& explained) const;
  // stream: which of several draws. row: around which; none where samples are shared.
  [[nodiscard]] Samples draw(std::size_t count, std::uint64_t stream, const LabelledRow* row) const;
  [[nodiscard]] bool around_row() const { return around_row_; }
  [[nodiscard]] bool normal() const { return normal_; }

  // exp(−decay · D²) is the weight of a sample at distance D.
  [[nodiscard]] double decay(double width) const { return (plain_ ? 1.0 : 0.5) / (width * width); }
  [[nodiscard]] double width() const { return width_; }

 private:
  void add_feature(const MethodInput& input, std::size_t j);
  [[nodiscard]] std::size_t drawn_row(double uniform) const;

  const Schema& schema_;
  const LabelledRows& rows_;
  std::uint64_t seed_;
  std::size_t parts_ = 0;  // bins of a number; 0: none
  bool normal_, around_row_, plain_;
  double width_;
  std::vector<double> sums_;  // of weights, where they differ
  std::vector<PerturbedFeature> features_;
};

}  // namespace sightglass
