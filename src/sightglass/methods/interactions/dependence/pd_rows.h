// Rows at which partial dependence functions are evaluated and over which they average, both at once: all rows
// of the data where a budget of model rows allows, else a few disjoint samples, so that the spread between
// them says how much the numbers depend on the draw. Shared by the methods that compare partial dependence
// functions with one another (Friedman's H, functional decomposition).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

// Features by their position in PdRows::features(), ascending; empty: the plain prediction.
using PdSubset = std::vector<std::size_t>;
// Adds all subsets of `size` of so many features, in order.
void add_subsets(std::size_t features, std::size_t size, std::vector<PdSubset>& subsets);

// The different values that a subset of features has in the rows of one sample, in ascending order (missing
// last, the first feature slowest).
struct PdPoints {
  std::vector<std::vector<std::uint32_t>> parts;  // [feature of the subset][point]: its point as a single
  std::vector<double> weights;                    // of the rows at each point; 0: no row has these values
  std::vector<std::uint32_t> row;                 // a row at each point
  std::vector<std::uint32_t> of_row;              // [row of the sample]: its point

  [[nodiscard]] std::size_t size() const { return weights.size(); }
};

struct PdSample {
  RowSample rows;
  double weight = 0;  // of all its rows
  // [feature]: its points, and the value of each: what the model is given. Values that a tree model cannot
  // tell apart are one point.
  std::vector<PdPoints> singles;
  std::vector<std::vector<double>> values;

  [[nodiscard]] PdPoints points(const PdSubset& subset) const;
  // The point of a feature's value, which must be one of the rows' or of the extra ones.
  [[nodiscard]] std::uint32_t point_of(std::size_t feature, double value) const;
};

class LeafCounts;

class PdRows {
 public:
  // extra: [feature] values that single features are evaluated at besides those of the rows; may be empty.
  PdRows(const MethodInput& input, std::vector<std::uint32_t> features, const std::vector<std::vector<double>>& extra,
         std::vector<RowSample> samples);

  [[nodiscard]] const std::vector<std::uint32_t>& features() const { return features_; }  // columns of the schema
  [[nodiscard]] const std::vector<PdSample>& samples() const { return samples_; }
  [[nodiscard]] std::uint64_t available() const { return available_; }  // rows with weight in the data
  [[nodiscard]] std::uint64_t used() const { return places_.size(); }
  [[nodiscard]] bool complete() const { return samples_.size() == 1 && used() == available_; }
  [[nodiscard]] double weight() const { return weight_; }  // of all samples

  // Predictions that they will take, where that is known to be more than the budget; else 0.
  [[nodiscard]] double cost() const { return cost_; }
  void set_cost(double predictions) { cost_ = predictions; }

  // Per sample, what pairs are read off where the model is a sum of trees; else empty.
  [[nodiscard]] const std::vector<std::shared_ptr<const LeafCounts>>& counts() const { return counts_; }
  void set_counts(std::vector<std::shared_ptr<const LeafCounts>> counts) { counts_ = std::move(counts); }

  // Whether larger subsets are averaged over the model's leaves (pd_tree_means.h), and what each takes, in bytes for
  // every sample.
  [[nodiscard]] bool averaged() const { return averaged_bytes_ > 0; }
  [[nodiscard]] std::size_t averaged_bytes() const { return averaged_bytes_; }
  void set_averaged(std::size_t bytes) { averaged_bytes_ = bytes; }

  struct Place {
    std::uint64_t id;
    std::uint32_t sample, row;
  };
  // Where a row of the data is, by its global index; null if it was not drawn.
  [[nodiscard]] const Place* find(std::uint64_t id) const;

 private:
  std::vector<std::uint32_t> features_;
  std::vector<PdSample> samples_;
  std::vector<Place> places_;  // ascending by id
  std::uint64_t available_ = 0;
  double weight_ = 0, cost_ = 0;
  std::vector<std::shared_ptr<const LeafCounts>> counts_;
  std::size_t averaged_bytes_ = 0;
};

inline constexpr std::int64_t most_samples = 1000;

// The options that decide about rows. An option struct has members of these names (no base struct: C++ programs name
// options where they call, {.samples = 8}, and that is for members of the struct itself), calls pd_row_fields<itself>
// and hands them over by pd_row_options().
struct PdRowOptions {
  // Model rows. A native model of 150 trees predicts about a million a second on two cores (5 s for ten features
  // and all their pairs), a Python model some hundred thousand (a minute). The standard errors of samples that
  // this pays for are a few per cent of H².
  std::int64_t predictions = 5'000'000;
  std::int64_t sample_rows = 0;
  std::int64_t samples = 4;
};

template <class Options>
void pd_row_fields(auto&& field) {
  field("predictions", &Options::predictions,
        {.help = "predictions to ask for: all rows are used if that suffices, else samples of them, of 20 rows at the "
                 "least",
         .type = OptionType::predictions,
         .range = at_least(1, "prediction"),
         .aliases = {"budget"}});
  field("sample_rows", &Options::sample_rows,
        {.help = "rows in each sample; 0 = as many as {option:predictions|predictions} allow",
         .type = OptionType::row_count});
  field("samples", &Options::samples,
        {.help = "disjoint samples, where not all rows are used",
         .type = OptionType::count,
         .range = between(1, most_samples)});
}

template <class Options>
[[nodiscard]] PdRowOptions pd_row_options(const Options& options) {
  return {.predictions = options.predictions, .sample_rows = options.sample_rows, .samples = options.samples};
}

// Predictions that one subset takes, at the most, with samples of so many rows.
[[nodiscard]] std::uint64_t pd_subset_cost(const MethodInput& input, const PdRowOptions& options, std::uint64_t rows);

// What the rows are needed for, to know the cost: subsets that will be evaluated, and how many more that are
// not known yet.
struct PdRequest {
  std::vector<std::uint32_t> features;  // columns of the schema
  std::vector<PdSubset> subsets;
  std::uint64_t later = 0;
  std::vector<std::vector<double>> extra = {};  // as in PdRows
};

// However small the budget.
inline constexpr std::uint64_t pd_least_rows = 20;
// Fewer rows than this per sample say little.
inline constexpr std::uint64_t pd_fewest_rows = 100;

// Throws Error(usage) on options that make no sense.
void check(const PdRowOptions& options);

// Reads the rows and chooses samples.
[[nodiscard]] Chain<std::shared_ptr<const PdRows>> draw_pd_rows(const MethodInput& input, const PdRowOptions& options,
                                                                const PdRequest& request);

// Which rows were used, and features without two values.
void add_pd_row_caveats(const MethodInput& input, const PdRowOptions& options, const PdRows& rows,
                        std::vector<Caveat>& caveats);

// "a:b" or "a:b:c" as columns, ascending in the order of the model's features. Names may hold colons themselves,
// so every way to cut is tried. Throws Error(usage) that starts with `option`.
[[nodiscard]] std::vector<std::uint32_t> parse_features(const MethodInput& input, const std::string& text,
                                                        std::size_t count, const Text& option);

}  // namespace sightglass
