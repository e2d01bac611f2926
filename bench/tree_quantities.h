// What is timed: the engine's kernels on coded rows, shared among threads as the methods share them, and the methods
// themselves.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>

#include "bench_data.h"
#include "sightglass/methods/local/shapley/leaf_shapley_internal.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/trees/counts/tree_dependence_internal.h"
#include "sightglass/model/trees/predict/deep_trees_internal.h"
#include "sightglass/model/trees/predict/set_trees_internal.h"

namespace sightglass {

using Json = nlohmann::ordered_json;

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Where the time of one repetition went.
class Laps {
 public:
  void lap(const std::string& phase) {
    const double at = now();
    if (seconds.find(phase) == seconds.end()) order.push_back(phase);
    seconds[phase] += at - since_;
    since_ = at;
  }
  std::map<std::string, double> seconds;
  std::vector<std::string> order;
  Json facts = Json::object();

 private:
  double since_ = now();
};

// [0, count) in as many parts as there are threads, cut at multiples of `unit`.
inline void in_parts(const Context& context, std::size_t count, std::size_t unit,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  const auto parts = static_cast<std::size_t>(std::max(1, context.threads()));
  const std::size_t units = (count + unit - 1) / unit;
  context.parallel_for(parts, [&](std::size_t part) {
    const std::size_t begin = std::min(count, units * part / parts * unit);
    const std::size_t end = std::min(count, units * (part + 1) / parts * unit);
    if (begin < end) body(begin, end);
  });
}

// The blocks in which run() hands rows to stages that do not ask the model.
inline constexpr std::size_t block_rows = 65536;
// As leaf_shapley.cpp and shapley_in_passes.cpp have them.
inline constexpr std::size_t most_count_bytes = std::size_t{1} << 30;
inline constexpr std::size_t looked_up_at_once = std::size_t{1} << 14;
// More than this for the table of a pair is not tried.
inline constexpr double most_table_bytes = 2.56e8;
// As in methods: of larger tables single points are looked up.
inline constexpr double most_cells = 1 << 20;

class Kernels {
 public:
  Kernels(const Model& model, BenchData& data, Context& context)
      : model_(model), data_(data), context_(context), parts_(data.trees().parts()), codes_(data.trees().codes()) {
    if (SetTrees::suits(parts_)) {
      sets_.emplace(parts_, codes_);
    } else {
      deep_.emplace(parts_, codes_);
    }
  }

  void code(Laps& laps) {
    const RowBlock block = data_.block();
    std::vector<std::uint16_t> codes(codes_.slots() * data_.rows());
    in_parts(context_, data_.rows(), set_rows, [&](std::size_t begin, std::size_t end) {
      data_.trees().encode(block, begin, end - begin, codes.data() + begin, data_.rows());
    });
    laps.lap("code");
  }

  // Margins of coded rows in the framework's arithmetic.
  double pass() {
    predictions_.resize(data_.rows());
    const double begin = now();
    if (parts_.float32_sums) {
      add_leaves<float>();
    } else {
      add_leaves<double>();
    }
    return now() - begin;
  }
  void coded_prediction(Laps& laps) {
    (void)pass();
    laps.lap("predict");
    laps.facts["mean"] = mean(predictions_);
  }

  void prediction(Laps& laps) {
    const RowBlock block = data_.block();
    Matrix out(data_.rows(), parts_.base.size());
    in_parts(context_, data_.rows(), set_rows, [&](std::size_t begin, std::size_t end) {
      std::vector<ColumnView> views;
      for (const ColumnView& column : block.columns) views.push_back(column.slice(begin, end - begin));
      data_.bound().predict({.first_row = begin, .rows = end - begin, .columns = views},
                            {.scale = Scale::margin, .arithmetic = Arithmetic::framework},
                            out.span().rows(begin, end - begin), context_);
    });
    laps.lap("code and predict");
    double sum = 0;
    for (std::size_t row = 0; row < data_.rows(); ++row) sum += out(row, 0);
    laps.facts["mean"] = sum / static_cast<double>(data_.rows());
  }

  // Partial dependence of all features at every code.
  void singles(Laps& laps) {
    const TreeCounts counts(parts_, codes_, 1);
    laps.lap("build");
    const auto counted = count(counts);
    laps.lap("count");
    TreeDependence dependence(parts_, codes_, data_.rows());
    dependence.add(counts, counted);
    std::size_t values = 0;
    double square = 0;
    for (std::size_t slot = 0; slot < codes_.slots(); ++slot) {
      const auto curve = dependence.single(slot, 0);
      values += curve.size();
      for (const double value : curve) square += (value - dependence.mean(0)) * (value - dependence.mean(0));
    }
    laps.lap("tables");
    laps.facts["counts"] = counts.size();
    laps.facts["values"] = values;
    laps.facts["mean"] = dependence.mean(0);
    laps.facts["square"] = square;
  }

  // H² of all pairs, at all rows against all rows.
  void pairs(Laps& laps) {
    // The codes that the rows have.
    const auto& coded = data_.by_slot();
    std::vector<std::vector<std::uint32_t>> used(codes_.slots()), place(codes_.slots());
    context_.parallel_for(codes_.slots(), [&](std::size_t slot) {
      std::vector<bool> seen(codes_.codes(slot));
      for (std::size_t row = 0; row < data_.rows(); ++row) seen[coded[slot * data_.rows() + row]] = true;
      place[slot].resize(seen.size());
      for (std::uint32_t code = 0; code < seen.size(); ++code) {
        if (!seen[code]) continue;
        place[slot][code] = static_cast<std::uint32_t>(used[slot].size());
        used[slot].push_back(code);
      }
    });
    std::size_t most_codes = 0, second_codes = 0;
    for (const auto& each : used) {
      second_codes = std::max(second_codes, std::min(most_codes, each.size()));
      most_codes = std::max(most_codes, each.size());
    }
    laps.lap("build");
    // Of deep forests there are many counts; here, as in methods, they are taken at once if they fit.
    const auto ranges = TreeCounts::ranges(parts_, 2, most_count_bytes);
    const double table_cells = static_cast<double>(most_codes) * static_cast<double>(second_codes);
    std::size_t numbers = 0;
    std::optional<TreeCounts> counts;
    std::vector<std::uint64_t> counted;
    for (const TreeRange& range : ranges) {
      counts.emplace(parts_, codes_, 2, range);
      laps.lap("build");
      counted = count(*counts);
      numbers += counts->size();
      laps.lap("count");
    }
    laps.facts["counts"] = numbers;
    laps.facts["count_ranges"] = ranges.size();
    if (count_only_) return;
    if (ranges.size() > 1) {
      laps.facts["incomplete"] = "counts only: they take more than 1 GB, and the engine then compares samples of rows";
      return;
    }
    if (table_cells > most_cells) {
      laps.facts["h2"] = look_up_pairs(*counts, counted);
      laps.lap("points");
      return;
    }
    laps.facts["h2"] = read_pairs(*counts, counted, used, place);
    laps.lap("tables and rows");
  }

  // Values of all rows against all rows, or against the cover.
  void shapley(bool cover, Laps& laps) {
    const bool together = TreePatterns::ranges(parts_, codes_, most_count_bytes, cover ? 0 : data_.rows()).size() <= 1;
    const auto ranges = TreePatterns::ranges(parts_, codes_, range_bytes, cover ? 0 : data_.rows());
    const std::size_t at_once = together ? 1024 : 64;
    const ShapleyShape shape(parts_, codes_);
    std::vector<double> values(count_only_ ? 0 : data_.rows() * shape.row()), base(shape.outputs);
    std::size_t numbers = 0, long_paths = 0;
    laps.lap("build");
    for (std::size_t first = 0; first < ranges.size(); first += at_once) {
      const std::size_t size = std::min(at_once, ranges.size() - first);
      std::vector<std::unique_ptr<const ShapleyRange>> some(size);
      std::vector<std::optional<SubsetCounts>> counts(size);
      context_.parallel_for(size, [&](std::size_t i) {
        some[i] = std::make_unique<const ShapleyRange>(data_.trees(), ranges[first + i]);
        if (!cover) counts[i].emplace(some[i]->patterns);
      });
      laps.lap("build");
      if (!cover) {
        for (std::size_t i = 0; i < size; ++i) numbers += some[i]->patterns.subsets();
        for (std::size_t i = 0; i < size; ++i) long_paths += some[i]->patterns.long_paths();
        count_subsets(some, counts);
        laps.lap("count");
      }
      if (count_only_) continue;
      std::vector<TreeShapley> shapley;
      for (std::size_t i = 0; i < size; ++i) {
        shapley.push_back(cover ? TreeShapley(parts_, codes_, some[i]->patterns)
                                : TreeShapley(parts_, codes_, some[i]->patterns, *counts[i]));
        shapley.back().add_base(base.data());
      }
      // Together, threads share the rows of a block evenly; in passes tasks are of a fixed size.
      const auto threads = static_cast<std::size_t>(std::max(1, context_.threads()));
      const std::size_t share = (std::min(block_rows, data_.rows()) / threads + set_rows) / set_rows * set_rows;
      const std::size_t task_rows = together ? share : std::min(share, looked_up_at_once);
      const auto& coded = data_.by_set();
      context_.parallel_for((data_.rows() + task_rows - 1) / task_rows, [&](std::size_t task) {
        const std::size_t begin = task * task_rows, rows = std::min(task_rows, data_.rows() - begin);
        TreeShapley::Workspace workspace;
        for (const TreeShapley& range : shapley)
          range.add_values(coded.data() + begin * shape.slots, rows, values.data() + begin * shape.row(), workspace);
      });
      laps.lap("values");
    }
    if (!cover) laps.facts["counts"] = numbers;
    if (!cover) laps.facts["long_paths"] = long_paths;
    if (!count_only_) add_shapley_facts(values, base[0] + parts_.base[0] / parts_.divisor, shape, laps);
  }
  void count_only(bool only) { count_only_ = only; }

  // A method as a user has it.
  void method(const std::string& name, const Value& options, Laps& laps) {
    const Table& table = data_.table();
    laps.lap("");
    const Result result = run(name, model_, table, options, context_);
    laps.lap("run");
    Json caveats = Json::array();
    for (const Caveat& caveat : result.caveats) caveats.push_back(caveat.id);
    laps.facts["caveats"] = caveats;
    const Value* engine = result.options.find("engine");
    if (engine != nullptr && engine->is_string()) laps.facts["engine"] = engine->as_string();
  }

 private:
  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }

  template <class Sum>
  void add_leaves() {
    const auto& coded = data_.by_slot();
    const std::size_t tile = sets_ ? set_rows : deep_->tile_rows(), slots = codes_.slots();
    in_parts(context_, data_.rows(), tile, [&](std::size_t begin, std::size_t end) {
      std::optional<SetTrees::Workspace> for_sets;
      std::optional<DeepTrees::Workspace> for_deep;
      if (sets_) for_sets.emplace(*sets_);
      if (deep_) for_deep.emplace(*deep_);
      std::uint16_t* codes = sets_ ? for_sets->codes.data() : for_deep->codes.data();
      std::vector<Sum> sums(tile * parts_.base.size());
      for (std::size_t first = begin; first < end; first += tile) {
        const std::size_t rows = std::min(tile, end - first);
        for (std::size_t slot = 0; slot < slots; ++slot)
          std::copy_n(coded.data() + slot * data_.rows() + first, rows, codes + slot * tile);
        std::fill(sums.begin(), sums.end(), static_cast<Sum>(parts_.base[0]));
        if (sets_) {
          sets_->add_leaves(*for_sets, sums.data());
        } else {
          deep_->add_leaves(*for_deep, rows, sums.data());
        }
        for (std::size_t row = 0; row < rows; ++row)
          predictions_[first + row] = static_cast<double>(sums[row]) / parts_.divisor;
      }
    });
  }

  std::vector<std::uint64_t> count(const TreeCounts& counts) {
    std::vector<std::uint64_t> counted(counts.size());
    const auto& coded = data_.by_slot();
    for (std::size_t first = 0; first < data_.rows(); first += block_rows) {
      const TreeCounts::Rows rows{
          .codes = coded.data() + first, .stride = data_.rows(), .rows = std::min(block_rows, data_.rows() - first)};
      const std::size_t begins = counts.trees().begin;
      in_parts(context_, counts.trees().end - begins, 1, [&](std::size_t begin, std::size_t end) {
        TreeCounts::Workspace workspace(counts);
        counts.add({static_cast<std::uint32_t>(begins + begin), static_cast<std::uint32_t>(begins + end)}, rows,
                   counted.data(), workspace);
      });
    }
    return counted;
  }

  void count_subsets(const std::vector<std::unique_ptr<const ShapleyRange>>& ranges,
                     std::vector<std::optional<SubsetCounts>>& counts) {
    const auto& coded = data_.by_set();
    const std::size_t slots = codes_.slots(), blocks = data_.there().size(), at_once = block_rows / set_rows;
    for (std::size_t first = 0; first < blocks; first += at_once) {
      context_.parallel_for(ranges.size(), [&](std::size_t i) {
        SubsetCounter::Workspace workspace(ranges[i]->counter);
        ranges[i]->counter.add({.codes = coded.data() + first * slots * set_rows,
                                .there = data_.there().data() + first,
                                .blocks = std::min(at_once, blocks - first)},
                               *counts[i], workspace);
      });
    }
  }

  // The sum of all H², each from its numerator and denominator over the rows. Threads share the pairs.
  double read_pairs(const TreeCounts& counts, const std::vector<std::uint64_t>& counted,
                    const std::vector<std::vector<std::uint32_t>>& used,
                    const std::vector<std::vector<std::uint32_t>>& place) {
    std::vector<TreeDependence::Pair> all;
    for (std::uint32_t a = 0; a < used.size(); ++a) {
      for (std::uint32_t b = a + 1; b < used.size(); ++b)
        all.push_back({.first = a, .second = b, .first_codes = used[a], .second_codes = used[b]});
    }
    // As many tables at a time as memory allows.
    std::vector<std::size_t> rounds{0};
    double bytes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double more =
          8.0 * static_cast<double>(all[i].first_codes.size()) * static_cast<double>(all[i].second_codes.size());
      if (bytes > 0 && bytes + more > most_table_bytes) {
        rounds.push_back(i);
        bytes = 0;
      }
      bytes += more;
    }
    rounds.push_back(all.size());
    std::vector<double> h2(all.size());
    for (std::size_t round = 0; round + 1 < rounds.size(); ++round) {
      in_parts(context_, rounds[round + 1] - rounds[round], 1, [&](std::size_t begin, std::size_t end) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(rounds[round]);
        const std::vector<TreeDependence::Pair> mine(from + static_cast<std::ptrdiff_t>(begin),
                                                     from + static_cast<std::ptrdiff_t>(end));
        TreeDependence dependence(parts_, codes_, data_.rows(), mine);
        dependence.add(counts, counted);
        for (std::size_t i = 0; i < mine.size(); ++i)
          h2[rounds[round] + begin + i] = h_square(dependence, i, mine[i], place);
      });
    }
    double sum = 0;
    for (const double each : h2) sum += each;
    return sum;
  }

  // The same without tables, point by point, as methods do it where features have many codes.
  double look_up_pairs(const TreeCounts& counts, const std::vector<std::uint64_t>& counted) {
    TreeDependence dependence(parts_, codes_, data_.rows());
    dependence.add(counts, counted);
    std::vector<std::vector<double>> singles;
    std::vector<std::vector<std::uint32_t>> of_slot;
    for (std::uint32_t slot = 0; slot < codes_.slots(); ++slot) {
      singles.push_back(dependence.single(slot, 0));
      const std::uint16_t* from = data_.by_slot().data() + slot * data_.rows();
      of_slot.emplace_back(from, from + data_.rows());
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t a = 0; a < codes_.slots(); ++a) {
      for (std::uint32_t b = a + 1; b < codes_.slots(); ++b) all.emplace_back(a, b);
    }
    std::vector<double> h2(all.size());
    context_.parallel_for(all.size(), [&](std::size_t i) {
      const auto [a, b] = all[i];
      const auto left = dependence.interaction_at(counts, counted, {a, b, of_slot[a], of_slot[b]}, 0);
      HSums sums;
      for (std::size_t row = 0; row < data_.rows(); ++row)
        sums.add(left[row], singles[a][of_slot[a][row]] + singles[b][of_slot[b][row]] - 2 * dependence.mean(0));
      h2[i] = sums.h_square(data_.rows());
    });
    return std::accumulate(h2.begin(), h2.end(), 0.0);
  }

  // Of a pair: squares of what is beyond the sum of its features' own effects, and of all that it does.
  struct HSums {
    double sums[4] = {0, 0, 0, 0};
    void add(double interaction, double own) {
      const double beyond = interaction + own;
      sums[0] += interaction;
      sums[1] += interaction * interaction;
      sums[2] += beyond;
      sums[3] += beyond * beyond;
    }
    [[nodiscard]] double h_square(std::size_t rows) const {
      const auto n = static_cast<double>(rows);
      const double denominator = sums[3] - sums[2] * sums[2] / n;
      return denominator > 0 ? (sums[1] - sums[0] * sums[0] / n) / denominator : 0;
    }
  };

  double h_square(const TreeDependence& dependence, std::size_t number, const TreeDependence::Pair& pair,
                  const std::vector<std::vector<std::uint32_t>>& place) {
    const auto left = dependence.interaction(number, 0);
    const auto at_codes = [&](std::uint32_t slot, const std::vector<std::uint32_t>& used) {
      const auto all = dependence.single(slot, 0);
      std::vector<double> picked;
      for (const std::uint32_t code : used) picked.push_back(all[code] - dependence.mean(0));
      return picked;
    };
    const auto of_first = at_codes(pair.first, pair.first_codes), of_second = at_codes(pair.second, pair.second_codes);
    const std::uint16_t* first = data_.by_slot().data() + pair.first * data_.rows();
    const std::uint16_t* second = data_.by_slot().data() + pair.second * data_.rows();
    const std::uint32_t *first_place = place[pair.first].data(), *second_place = place[pair.second].data();
    const std::size_t width = pair.second_codes.size();
    HSums sums;
    for (std::size_t row = 0; row < data_.rows(); ++row) {
      const std::size_t a = first_place[first[row]], b = second_place[second[row]];
      sums.add(left[a * width + b], of_first[a] + of_second[b]);
    }
    return sums.h_square(data_.rows());
  }

  // Mean |value| of each feature, and how far the values of a row miss its prediction, at the most.
  void add_shapley_facts(const std::vector<double>& values, double base, const ShapleyShape& shape, Laps& laps) {
    (void)pass();
    std::vector<double> sizes(shape.slots);
    double miss = 0;
    for (std::size_t row = 0; row < data_.rows(); ++row) {
      double sum = base;
      for (std::size_t slot = 0; slot < shape.slots; ++slot) {
        const double value = values[row * shape.row() + slot];
        sum += value;
        sizes[slot] += std::abs(value) / static_cast<double>(data_.rows());
      }
      miss = std::max(miss, std::abs(sum - predictions_[row]));
    }
    laps.facts["mean_absolute"] = sizes;
    laps.facts["largest_miss"] = miss;
  }

  const Model& model_;
  BenchData& data_;
  Context& context_;
  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  std::optional<SetTrees> sets_;
  std::optional<DeepTrees> deep_;
  std::vector<double> predictions_;
  bool count_only_ = false;
};

}  // namespace sightglass
