#include "sightglass/plans/scorecard/coalition_fidelity.h"

#include <algorithm>

#include "sightglass/base/random.h"
#include "sightglass/methods/run/made_rows.h"
#include "sightglass/result/shapes/attributions.h"

namespace sightglass {

namespace {

constexpr std::size_t background_rows = 256, random_coalitions = 32;
constexpr std::uint64_t coalition_stream = 0x636f'616c'6974;  // "coalit"

using Coalition = std::vector<bool>;  // which features are known

struct ReadRows {
  std::map<std::uint64_t, std::vector<double>> explained;
  std::vector<std::vector<double>> background;  // evenly spread over the rows
};

ReadRows read_rows(const RunSession& session, const MethodInput& input, const std::vector<std::uint64_t>& wanted) {
  ReadRows read;
  const std::uint64_t step = std::max<std::uint64_t>(1, (input.rows + background_rows - 1) / background_rows);
  std::uint64_t place = 0;
  const auto stream = session.rows().open(input.features, static_cast<std::size_t>(session.options().batch));
  while (const auto block = stream->next()) {
    for (std::size_t row = 0; row < block->rows; ++row, ++place) {
      const bool explained = std::binary_search(wanted.begin(), wanted.end(), block->row_id(row));
      if (!explained && place % step != 0) continue;
      std::vector<double> values;
      for (const std::uint32_t column : input.features) values.push_back(block->columns[column].number(row));
      if (place % step == 0) read.background.push_back(values);
      if (explained) read.explained[block->row_id(row)] = std::move(values);
    }
  }
  return read;
}

std::vector<Coalition> coalitions(std::size_t features, std::uint64_t seed) {
  std::vector<Coalition> list;
  for (std::size_t j = 0; j < features; ++j) {
    list.emplace_back(features, true);
    list.back()[j] = false;
  }
  // Of all sizes alike.
  std::uint64_t drawn = 0;
  const auto below = [&](std::size_t end) {
    return static_cast<std::size_t>(random_bits(seed, coalition_stream, drawn++) % end);
  };
  std::vector<std::size_t> order(features);
  for (std::size_t i = 0; i < random_coalitions; ++i) {
    for (std::size_t j = 0; j < features; ++j) order[j] = j;
    for (std::size_t j = features; j > 1; --j) std::swap(order[j - 1], order[below(j)]);
    Coalition& known = list.emplace_back(features, false);
    const std::size_t size = below(features);
    for (std::size_t j = 0; j < size; ++j) known[order[j]] = true;
  }
  return list;
}

// What the model predicts on average where only these are known: [coalition][output].
std::vector<std::vector<double>> mean_predictions(const MethodInput& input, Evaluator& evaluator,
                                                  const std::vector<double>& row, const ReadRows& read,
                                                  const std::vector<Coalition>& list) {
  std::vector<std::vector<double>> means;
  Matrix predictions;
  for (const Coalition& known : list) {
    std::vector<std::vector<double>> values(row.size());
    for (std::size_t j = 0; j < row.size(); ++j) {
      for (const std::vector<double>& other : read.background) values[j].push_back(known[j] ? row[j] : other[j]);
    }
    evaluator.evaluate(MadeRows(input.schema, input.features, values).block(), predictions);
    std::vector<double>& mean = means.emplace_back(input.outputs.size(), 0);
    for (std::size_t i = 0; i < read.background.size(); ++i) {
      for (std::size_t k = 0; k < mean.size(); ++k)
        mean[k] += predictions(i, k) / static_cast<double>(read.background.size());
    }
  }
  return means;
}

double followed(const std::vector<double>& asked, const std::vector<double>& said, double prediction) {
  double off = 0, all = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    off += (asked[i] - said[i]) * (asked[i] - said[i]);
    all += (asked[i] - prediction) * (asked[i] - prediction);
  }
  return all > 0 ? 1 - off / all : 1;
}

CoalitionFidelity fidelity_of(const Attributions& item, std::size_t row, const std::vector<Coalition>& list,
                              const std::vector<std::vector<double>>& means, std::size_t output) {
  std::vector<double> asked, said;
  for (std::size_t i = 0; i < list.size(); ++i) {
    double sum = item.base;
    for (std::size_t j = 0; j < item.features.size(); ++j) sum += list[i][j] ? item.value(row, j) : 0;
    asked.push_back(means[i][output]);
    said.push_back(sum);
  }
  const auto ones = static_cast<std::ptrdiff_t>(item.features.size());
  const double prediction = item.prediction[row];
  return {.near = followed({asked.begin(), asked.begin() + ones}, {said.begin(), said.begin() + ones}, prediction),
          .far = followed({asked.begin() + ones, asked.end()}, {said.begin() + ones, said.end()}, prediction)};
}

}  // namespace

std::map<std::pair<std::uint64_t, std::string>, CoalitionFidelity> coalition_fidelity(const RunSession& session,
                                                                                      const Result& values) {
  std::map<std::pair<std::uint64_t, std::string>, CoalitionFidelity> found;
  const Value* scale = values.options.find("scale");
  const std::string_view on = scale != nullptr && scale->is_string() ? std::string_view(scale->as_string()) : "";
  const MethodInput& input = session.input(on);
  Evaluator& evaluator = session.evaluator(on);
  std::map<std::uint64_t, std::vector<std::vector<double>>> asked;
  const std::vector<Coalition> list = coalitions(input.features.size(), input.seed);
  std::optional<ReadRows> read;
  for (const ResultItem& each : values.results) {
    const auto* item = each.as<Attributions>();
    if (item == nullptr || item->features.size() != input.features.size()) continue;
    if (!read) read = read_rows(session, input, item->rows);
    const auto output = std::find(input.outputs.begin(), input.outputs.end(), item->output) - input.outputs.begin();
    for (std::size_t row = 0; row < item->rows.size(); ++row) {
      const auto own = read->explained.find(item->rows[row]);
      if (own == read->explained.end() || read->background.empty()) continue;
      auto& means = asked[own->first];
      if (means.empty()) means = mean_predictions(input, evaluator, own->second, *read, list);
      found[{own->first, item->output}] = fidelity_of(*item, row, list, means, static_cast<std::size_t>(output));
    }
  }
  return found;
}

}  // namespace sightglass
