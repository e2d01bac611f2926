// Times a learner on one matrix of rows, from columns in memory to what it found. One line of JSON, with the seconds of
// every repetition (by the clock, and of all processors together), the size of what was found and its detail.
//
//   learner_kernels LEARNER --data FILE --target FILE --rows N --columns P [--classes K] [--options JSON] [--threads T]
//                           [--repeats K] [--held-data FILE --held-target FILE --held-rows M] [--path FILE]
//
// LEARNER may also be prototypes: 30 prototypes and 10 criticisms of the rows, whatever the target; the detail has the
// rows. Or neighbors: the 10 nearest rows of each held-out one; the detail has those of the first ones.
//
// data: float64, column after column; target: float64, numbers or indices of classes. With held-out rows of numbers
// their R2 is said too. To --path go the fits along a sparse linear model's penalties, of numbers or two classes:
// float64, of each the penalty, the intercept and the standardised coefficients.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/learn/all_learners.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/linear/fitter.h"
#include "sightglass/learn/neighbors/training_rows.h"
#include "sightglass/learn/prototypes/mmd_critic.h"
#include "sightglass/learn/sparse_linear.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/model/learned/neighbors/neighbor_search.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

std::vector<double> read_numbers(std::ifstream& file, std::size_t count) {
  std::vector<double> numbers(count);
  file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(count * sizeof(double)));
  if (!file) throw Error(ErrorKind::usage, "a file ends before all rows are read");
  return numbers;
}

// `which`: "" or "held-".
TrainingData read_data(const std::map<std::string, std::string>& given, const std::string& which) {
  TrainingData data;
  data.rows = std::stoul(given.at("--" + which + "rows"));
  data.target = "target";
  std::ifstream matrix(given.at("--" + which + "data"), std::ios::binary);
  std::ifstream target(given.at("--" + which + "target"), std::ios::binary);
  for (std::size_t column = 0; column < std::stoul(given.at("--columns")); ++column) {
    TrainingFeature& feature = data.features.emplace_back();
    feature.info.name = "f" + std::to_string(column);
    feature.values = read_numbers(matrix, data.rows);
  }
  data.outcome = read_numbers(target, data.rows);
  for (std::size_t k = 0; k < std::stoul(given.at("--classes")); ++k) data.classes.push_back(std::to_string(k));
  return data;
}

double held_out_r2(const LearnerEntry& learner, const TrainingData& data, const Learned& learned,
                   const TrainingData& held_out) {
  Context context(1);
  const auto model = make_model(learner, data, learned, "bench");
  const Matrix predicted = predict(*model, held_out, context);
  double mean = 0, left = 0, all = 0;
  for (const double y : held_out.outcome) mean += y / static_cast<double>(held_out.rows);
  for (std::size_t row = 0; row < held_out.rows; ++row) {
    left += std::pow(held_out.outcome[row] - predicted(row, 0), 2);
    all += std::pow(held_out.outcome[row] - mean, 2);
  }
  return 1 - left / all;
}

// Calls work(repeat) so many times.
template <class Work>
void time_work(const std::map<std::string, std::string>& given, Value& line, Work work) {
  Value seconds = Value::array(), cpu_seconds = Value::array();
  for (int repeat = 0; repeat < std::stoi(given.at("--repeats")); ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const auto found = work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    cpu_seconds.push_back(static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    found(repeat);
  }
  line.set("seconds", seconds);
  line.set("cpu_seconds", cpu_seconds);
  std::printf("%s\n", to_json(line).c_str());
}

void time_prototypes(const std::map<std::string, std::string>& given) {
  const TrainingData data = read_data(given, "");
  const Context context(std::stoi(given.at("--threads")));
  const std::vector<double> weights(data.rows, 1.0);
  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<PointColumn> columns;
  for (const TrainingFeature& feature : data.features) columns.push_back({.values = feature.values});
  Value line = Value::object({{"learner", "prototypes"}});
  time_work(given, line, [&] {
    const ScaledRows points(columns, column_scales(columns, weights), rows, weights, context);
    const double median = median_distance(points, 1000, 0, context);
    auto means = kernel_means(points, 1 / (2 * median * median), context);
    const Prototypes found = choose_prototypes(points, means[1], 30, context);
    const Criticisms against = choose_criticisms(points, means[1], found, 10, context);
    return [&, found, against, median](int) {
      line.set("detail",
               Value::object(
                   {{"median", median},
                    {"prototypes", Value(std::vector<std::uint64_t>(found.points.begin(), found.points.end()))},
                    {"criticisms", Value(std::vector<std::uint64_t>(against.points.begin(), against.points.end()))},
                    {"mmd2", found.discrepancy.back()}}));
    };
  });
}

void time_neighbors(const std::map<std::string, std::string>& given) {
  const TrainingData data = read_data(given, ""), asked = read_data(given, "held-");
  const Context context(std::stoi(given.at("--threads")));
  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  const NeighborStructure structure = neighbor_structure(data, rows);
  std::vector<std::vector<double>> queries;
  for (const TrainingFeature& feature : asked.features) queries.push_back(feature.values);
  const NeighborSearch search(structure, categorical_features(data));
  Value line = Value::object({{"learner", "neighbors"}});
  time_work(given, line, [&] {
    const auto found = search.nearest(queries, 10, {}, context);
    return [&line, found](int) {
      Value first = Value::array();
      for (std::size_t q = 0; q < std::min<std::size_t>(found.size(), 100); ++q) {
        Value list = Value::array();
        for (const Neighbor& each : found[q]) list.push_back(static_cast<std::int64_t>(each.row));
        first.push_back(std::move(list));
      }
      line.set("detail", std::move(first));
    };
  });
}

void write_path(const TrainingData& data, const Value& options, const std::string& file, const Context& context) {
  const auto told = read_options<SparseLinearOptions>(options);
  const Design design(data, {}, context);
  const Basis basis(design, false);
  const auto distribution = data.classes.empty() ? OutcomeDistribution::gaussian : OutcomeDistribution::binomial;
  const LinearProblem problem{
      design, basis, {distribution, data.outcome, 1}, std::vector(data.rows, 1 / static_cast<double>(data.rows))};
  const auto fitter = make_fitter(problem, {}, context);
  const LinearPath path = fitter->path(penalty_sequence(fitter->largest_lambda(told.l1_ratio), told.path_ratio,
                                                        static_cast<std::size_t>(told.path_length)),
                                       told.l1_ratio);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < path.fits.size(); ++i) {
    numbers.push_back(path.penalties[i]);
    numbers.push_back(path.fits[i].intercepts[0]);
    numbers.insert(numbers.end(), path.fits[i].coefficients.begin(), path.fits[i].coefficients.end());
  }
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
}

void time_learner(const std::string& name, const std::map<std::string, std::string>& given) {
  if (name == "prototypes") return time_prototypes(given);
  if (name == "neighbors") return time_neighbors(given);
  const auto learners = all_learners();
  const auto learner =
      std::find_if(learners.begin(), learners.end(), [&](const LearnerEntry& entry) { return entry.name == name; });
  if (learner == learners.end()) throw Error(ErrorKind::usage, "there is no learner " + name);
  const TrainingData data = read_data(given, "");
  const Value options = value_from_json(given.at("--options"), "options");
  const Context context(std::stoi(given.at("--threads")));
  Value line = Value::object({{"learner", name}});
  if (given.contains("--path")) write_path(data, options, given.at("--path"), context);
  time_work(given, line, [&] {
    Learned learned = learner->fit(data, options, context);
    return [&, learned = std::move(learned)](int repeat) {
      line.set("size", learned.size);
      line.set("detail", learned.detail);
      if (repeat == 0 && given.contains("--held-data"))
        line.set("r2", held_out_r2(*learner, data, learned, read_data(given, "held-")));
    };
  });
}

}  // namespace

}  // namespace sightglass

int main(int count, char** arguments) {
  try {
    std::map<std::string, std::string> given = {
        {"--classes", "0"}, {"--options", "{}"}, {"--threads", "1"}, {"--repeats", "5"}};
    if (count < 2) throw sightglass::Error(sightglass::ErrorKind::usage, "which learner?");
    for (int i = 2; i + 1 < count; i += 2) given[arguments[i]] = arguments[i + 1];
    sightglass::time_learner(arguments[1], given);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "learner_kernels: %s\n", error.what());
    return 2;
  }
  return 0;
}
