// Methods that only tests have: one that looks at the data alone, and one that asks the model about rows of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sightglass/methods/registry.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass::testing {

inline Importance entry_of(const std::string& feature, double value) {
  return {.feature = feature, .features = {feature}, .importance = value};
}

// How many rows have a value of each feature: needs no model.
struct CountSums {
  std::vector<std::uint64_t> known;

  static auto members() { return std::tuple(&CountSums::known); }
};

class CountPass : public Pass<CountSums, Result> {
 public:
  explicit CountPass(const MethodInput& input) : schema_(input.schema), features_(input.features) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return features_; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] CountSums empty() const override { return {std::vector<std::uint64_t>(features_.size())}; }
  void map(const RowBlock& block, CountSums& sums, Evaluator&) const override {
    for (std::size_t i = 0; i < features_.size(); ++i) {
      for (std::size_t row = 0; row < block.rows; ++row)
        sums.known[i] += std::isnan(block.columns[features_[i]].number(row)) ? 0 : 1;
    }
  }
  [[nodiscard]] Result find(const CountSums& sums) const override {
    Result result;
    for (std::size_t i = 0; i < features_.size(); ++i)
      result.results.emplace_back(entry_of(schema_[features_[i]].name, static_cast<double>(sums.known[i])));
    return result;
  }

 private:
  Schema schema_;
  std::vector<std::uint32_t> features_;
};

inline MethodEntry known_counts() {
  return {.name = "known-counts",
          .about = {.title = "Known counts", .short_name = "", .family = Family::examples},
          .needs = {.model = Need::none},
          .change = RowChange::none,
          .start = [](const MethodInput& input, const Value&) -> Chain<Result> { return over_rows<CountPass>(input); }};
}

// How far a feature of one row can be moved, both ways, before the prediction changes by more than a tolerance, found
// by halving; and how many rows of the data lie so near.
struct LocalChangeOptions {
  std::string feature;
  std::vector<std::int64_t> rows;
  double step = 64;
  double tolerance = 1;
  std::int64_t copies = 1;  // of each question's rows

  static void fields(auto&& field) {
    field("feature", &LocalChangeOptions::feature, {"which"});
    field("rows", &LocalChangeOptions::rows, {.help = "one row", .type = OptionType::rows});
    field("step", &LocalChangeOptions::step, {"the first"});
    field("tolerance", &LocalChangeOptions::tolerance, {"change of the prediction"});
    field("copies", &LocalChangeOptions::copies, {"how often each row is asked about"});
  }
};

struct LocalChangeWork {
  MethodInput input;
  LocalChangeOptions options;
  std::uint64_t row = 0;
  std::size_t moved = 0;  // among the features
};

struct OwnRowSums {
  std::uint64_t found = 0;
  std::vector<ExactSum> values;
  std::vector<std::uint64_t> missing;

  static auto members() { return std::tuple(&OwnRowSums::found, &OwnRowSums::values, &OwnRowSums::missing); }
};

class OwnRowPass : public Pass<OwnRowSums, std::vector<double>> {
 public:
  explicit OwnRowPass(std::shared_ptr<const LocalChangeWork> work) : work_(std::move(work)) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return work_->input.features; }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> rows() const override { return std::vector{work_->row}; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] OwnRowSums empty() const override {
    const std::size_t features = work_->input.features.size();
    return {.values = std::vector<ExactSum>(features), .missing = std::vector<std::uint64_t>(features)};
  }
  void map(const RowBlock& block, OwnRowSums& sums, Evaluator&) const override {
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (block.row_id(row) != work_->row) continue;
      ++sums.found;
      for (std::size_t i = 0; i < sums.values.size(); ++i) {
        const double value = block.columns[work_->input.features[i]].number(row);
        if (std::isnan(value)) {
          ++sums.missing[i];
        } else {
          sums.values[i].add(value);
        }
      }
    }
  }
  [[nodiscard]] std::vector<double> find(const OwnRowSums& sums) const override {
    if (sums.found != 1) throw Error(ErrorKind::usage, "no such row");
    std::vector<double> values;
    for (std::size_t i = 0; i < sums.values.size(); ++i)
      values.push_back(sums.missing[i] > 0 ? std::nan("") : sums.values[i].value());
    return values;
  }

 private:
  std::shared_ptr<const LocalChangeWork> work_;
};

// Where the search stands.
struct LocalStep {
  std::vector<double> own;
  double step = 0, change = 0;
  std::uint64_t rounds = 0;
};

inline MadeRows neighbours(const LocalChangeWork& work, const LocalStep& at) {
  const auto copies = static_cast<std::size_t>(work.options.copies);
  std::vector<std::vector<double>> values;
  for (const double value : at.own) values.emplace_back(2 * copies, value);
  for (std::size_t row = 0; row < 2 * copies; ++row) values[work.moved][row] += row % 2 == 0 ? -at.step : at.step;
  return {work.input.schema, work.input.features, values};
}

inline Chain<LocalStep> narrow(const std::shared_ptr<const LocalChangeWork>& work, const LocalStep& at) {
  return ask(neighbours(*work, at)).then([work, at](const Matrix& predictions) -> Chain<LocalStep> {
    LocalStep found = at;
    found.change = std::abs(predictions(1, 0) - predictions(0, 0));
    ++found.rounds;
    if (found.change <= work->options.tolerance || found.rounds == 200) return found;
    found.step /= 2;
    return narrow(work, found);
  });
}

struct NearSums {
  std::uint64_t rows = 0;

  static auto members() { return std::tuple(&NearSums::rows); }
};

class NearPass : public Pass<NearSums, Importance> {
 public:
  NearPass(std::shared_ptr<const LocalChangeWork> work, LocalStep at) : work_(std::move(work)), at_(std::move(at)) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {column()}; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] NearSums empty() const override { return {}; }
  void map(const RowBlock& block, NearSums& sums, Evaluator&) const override {
    for (std::size_t row = 0; row < block.rows; ++row)
      sums.rows += std::abs(block.columns[column()].number(row) - at_.own[work_->moved]) <= at_.step ? 1 : 0;
  }
  [[nodiscard]] Importance find(const NearSums& sums) const override {
    Importance entry = entry_of(work_->options.feature, static_cast<double>(sums.rows));
    entry.details.set("step", at_.step).set("change", at_.change).set("rounds", at_.rounds);
    return entry;
  }

 private:
  [[nodiscard]] std::uint32_t column() const { return work_->input.features[work_->moved]; }
  std::shared_ptr<const LocalChangeWork> work_;
  LocalStep at_;
};

inline MethodEntry local_change() {
  return {.name = "local-change",
          .about = {.title = "Local change", .short_name = "", .family = Family::examples},
          .options = describe_options<LocalChangeOptions>(),
          .start = [](const MethodInput& input, const Value& given) -> Chain<Result> {
            auto work = std::make_shared<LocalChangeWork>();
            work->input = input;
            work->options = read_options<LocalChangeOptions>(given);
            work->row = static_cast<std::uint64_t>(work->options.rows.at(0));
            const std::uint32_t column = input.schema.require(work->options.feature, "feature");
            while (input.features.at(work->moved) != column) ++work->moved;
            return over_rows<OwnRowPass>(work)
                .then([work](std::vector<double> own) {
                  return narrow(work, {.own = std::move(own), .step = work->options.step});
                })
                .then([work](LocalStep at) { return over_rows<NearPass>(work, std::move(at)); })
                .then([work](Importance entry) {
                  // What the result alone needs is asked behind the last pass.
                  const LocalStep still{.own = std::vector<double>(work->input.features.size(), 1.0)};
                  return ask(neighbours(*work, still)).then([entry](const Matrix& predictions) {
                    Importance whole = entry;
                    whole.details.set("at_ones", predictions(0, 0));
                    Result result;
                    result.results.emplace_back(std::move(whole));
                    return result;
                  });
                });
          }};
}

// What separate processes find by name.
inline std::vector<MethodEntry> job_methods() {
  std::vector<MethodEntry> known = methods();
  known.push_back(known_counts());
  known.push_back(local_change());
  return known;
}

}  // namespace sightglass::testing
