// Times a learner on one matrix of rows, from columns in memory to what it found. One line of JSON, with the seconds of
// every repetition (by the clock, and of all processors together), the size of what was found and its detail.
//
//   learner_kernels LEARNER --data FILE --target FILE --rows N --columns P [--classes K] [--options JSON] [--threads T]
//                           [--repeats K] [--held-data FILE --held-target FILE --held-rows M] [--path FILE]
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
#include <string>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/learn/all_learners.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/linear/fitter.h"
#include "sightglass/learn/sparse_linear.h"
#include "sightglass/learn/training_fit.h"
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
  const auto learners = all_learners();
  const auto learner =
      std::find_if(learners.begin(), learners.end(), [&](const LearnerEntry& entry) { return entry.name == name; });
  if (learner == learners.end()) throw Error(ErrorKind::usage, "there is no learner " + name);
  const TrainingData data = read_data(given, "");
  const Value options = value_from_json(given.at("--options"), "options");
  const Context context(std::stoi(given.at("--threads")));
  Value seconds = Value::array(), cpu_seconds = Value::array();
  Value line = Value::object({{"learner", name}});
  for (int repeat = 0; repeat < std::stoi(given.at("--repeats")); ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const Learned learned = learner->fit(data, options, context);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    cpu_seconds.push_back(static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    line.set("size", learned.size);
    line.set("detail", learned.detail);
    if (repeat == 0 && given.contains("--held-data"))
      line.set("r2", held_out_r2(*learner, data, learned, read_data(given, "held-")));
  }
  if (given.contains("--path")) write_path(data, options, given.at("--path"), context);
  line.set("seconds", seconds);
  line.set("cpu_seconds", cpu_seconds);
  std::printf("%s\n", to_json(line).c_str());
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
