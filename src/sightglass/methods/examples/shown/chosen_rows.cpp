#include "sightglass/methods/examples/shown/chosen_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/data/level_text_internal.h"
#include "sightglass/learn/prototypes/class_prototypes.h"
#include "sightglass/learn/prototypes/example_map.h"
#include "sightglass/learn/prototypes/mmd_critic.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/grid/feature_groups.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

constexpr std::size_t oddities_shown = 3;
constexpr double least_oddity = 1;  // standard deviations
constexpr double rare_level = 0.1;  // share of rows
constexpr std::size_t most_number_classes = 50;
// Below or above, nearly all rows are equally far from one another.
constexpr double least_kernel = 0.02, most_kernel = 0.98;
// Of what the prototypes are better than rows at random, this much must remain under another γ.
constexpr double least_kept = 0.5;
constexpr double least_shared = 0.5;  // of the prototypes that are chosen under another γ too
constexpr double little_gain = 0.01;  // of the first MMD², below which a prototype hardly pays

double spelled_number(double value) { return value == 0 ? 0 : value; }

OutcomeClasses classes_of(const MethodInput& input, const PrototypesOptions& options, const RowSample& sample) {
  OutcomeClasses classes;
  if (!input.target) {
    if (options.per_class)
      throw Error(ErrorKind::usage, marked("{Option:per_class}: there is no column of classes"),
                  marked("name it with {option:target}"));
    return classes;
  }
  const ColumnInfo& column = input.schema[*input.target];
  const std::vector<double>& values = sample.of(*input.target);
  if (column.has_levels()) {
    classes.names = column.levels();
    classes.of_row = values;
    return classes;
  }
  if (!options.per_class && input.task == Task::regression) return classes;
  std::set<double> distinct;
  for (const double value : values) {
    if (std::isfinite(value)) distinct.insert(spelled_number(value));
    if (distinct.size() <= most_number_classes) continue;
    if (!options.per_class) return classes;
    throw Error(ErrorKind::usage,
                marked("{Option:per_class}: ") + printable(column.name, 60) + " has too many values for classes",
                "leave the option out, or name a column of classes as the target");
  }
  std::map<double, double> place;
  for (const double value : distinct) {
    place[value] = static_cast<double>(classes.names.size());
    char text[number_text_bytes];
    classes.names.emplace_back(print_number(text, value));
  }
  for (const double value : values) {
    const auto found = place.find(spelled_number(value));
    classes.of_row.push_back(found != place.end() ? found->second : std::nan(""));
  }
  return classes;
}

// Rows of one class, or all, with what was chosen among them.
struct Chosen {
  std::string name;
  ScaledRows points;
  Prototypes prototypes;
  Criticisms criticisms;
};

class RowSearch {
 public:
  RowSearch(const MethodInput& input, const PrototypesOptions& options, const std::vector<std::uint32_t>& columns,
            const RowSample& sample)
      : input_(input),
        options_(options),
        columns_(columns),
        sample_(sample),
        context_(*input.context),
        classes_(classes_of(input, options, sample)),
        all_(point_columns(), column_scales(point_columns(), sample.weights), every_row(), sample.weights, context_) {}

  ChosenRows run() {
    gamma_ = kernel_gamma(all_, options_.gamma, input_.seed, context_);
    choose();
    make_items();
    add_figures();
    add_caveats();
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::vector<PointColumn> point_columns() const {
    std::vector<PointColumn> made;
    for (const std::uint32_t column : columns_)
      made.push_back({.categorical = input_.schema[column].has_levels(), .values = sample_.of(column)});
    return made;
  }
  [[nodiscard]] std::vector<std::uint32_t> every_row() const {
    std::vector<std::uint32_t> rows(sample_.rows());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
  }

  void choose() {
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<std::string> names;
    if (!options_.per_class) {
      rows.push_back(every_row());
      names.emplace_back();
    } else {
      rows.resize(classes_.names.size());
      for (std::uint32_t row = 0; row < sample_.rows(); ++row) {
        if (!std::isnan(classes_.of_row[row])) rows[static_cast<std::size_t>(classes_.of_row[row])].push_back(row);
      }
      names = classes_.names;
      for (std::size_t k = rows.size(); k-- > 0;) {
        if (!rows[k].empty()) continue;
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(k));
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(k));
      }
      if (rows.empty())
        throw Error(ErrorKind::data, marked("{Option:per_class}: no row has a class"), "leave the option out");
    }
    std::vector<double> weights;
    for (const auto& each : rows) {
      double weight = 0;
      for (const std::uint32_t row : each) weight += sample_.weights[row];
      weights.push_back(weight);
    }
    const auto prototypes = divided(static_cast<std::size_t>(options_.prototypes), weights);
    const auto criticisms = divided(static_cast<std::size_t>(options_.criticisms), weights);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Chosen& chosen = chosen_.emplace_back(
          Chosen{names[k], ScaledRows(all_.columns(), all_.scales(), rows[k], sample_.weights, context_), {}, {}});
      const std::size_t wanted = std::max<std::size_t>(1, prototypes[k]);
      auto means = kernel_means(chosen.points, gamma_, context_);
      chosen.prototypes = choose_prototypes(chosen.points, means[1], wanted, context_);
      chosen.criticisms = choose_criticisms(chosen.points, means[1], chosen.prototypes, criticisms[k], context_);
      sweep(chosen, means, weights[k] / total);
      fewer_ = fewer_ || chosen.prototypes.points.size() < wanted;
    }
  }

  // How much the choice of γ mattered.
  void sweep(Chosen& chosen, std::vector<KernelMean>& means, double share) {
    const KernelMean& own = means[1];
    mean_kernel_ += share * own.of_different();
    const auto m = static_cast<double>(chosen.prototypes.points.size());
    const double reached = chosen.prototypes.discrepancy.back();
    const double at_random = (1 - own.of_pairs()) / m;  // expected of m rows drawn with replacement
    const std::set<std::size_t> mine(chosen.prototypes.points.begin(), chosen.prototypes.points.end());
    for (const std::size_t s : {std::size_t{0}, std::size_t{2}}) {
      const Prototypes other = choose_prototypes(chosen.points, means[s], chosen.prototypes.points.size(), context_);
      double common = 0;
      for (const std::size_t point : other.points) common += mine.contains(point) ? 1 : 0;
      const double theirs = discrepancy_of(chosen.points, means[1], other.points, context_);
      const double gained = at_random - reached;
      const double kept = gained > 1e-12 ? std::max(0.0, (at_random - theirs) / gained) : 1;
      overlap_[s / 2] += share * common / m;
      kept_[s / 2] += share * kept;
    }
  }

  [[nodiscard]] Example example_of(std::uint32_t row) const {
    Example made;
    made.row = sample_.ids[row];
    for (const std::uint32_t column : columns_) {
      const ColumnInfo& info = input_.schema[column];
      const double value = sample_.of(column)[row];
      Value own;
      if (!std::isnan(value)) {
        own = info.has_levels() ? Value(info.levels()[static_cast<std::size_t>(value)]) : Value(value);
      }
      made.data.set(info.name, std::move(own));
    }
    if (!classes_.names.empty()) {
      if (!std::isnan(classes_.of_row[row]))
        made.own_class = classes_.names[static_cast<std::size_t>(classes_.of_row[row])];
    } else if (input_.target) {
      const double outcome = sample_.of(*input_.target)[row];
      if (!std::isnan(outcome)) made.target = outcome;
    }
    const auto [x, y] = place_of(row);
    made.x = x;
    made.y = y;
    made.special = oddities(row);
    return made;
  }

  // Share of rows that have the same level, or no value.
  [[nodiscard]] double share_of(std::size_t j, double value) const {
    if (shares_.empty()) shares_.resize(columns_.size());
    auto& shares = shares_[j];
    if (shares.empty()) {
      const std::vector<double>& values = sample_.of(columns_[j]);
      for (std::size_t row = 0; row < values.size(); ++row)
        shares[std::isnan(values[row]) ? -1 : values[row]] += sample_.weights[row] / all_.total_weight();
    }
    return shares.at(std::isnan(value) ? -1 : value);
  }

  [[nodiscard]] std::vector<Oddity> oddities(std::uint32_t row) const {
    std::vector<std::pair<double, Oddity>> found;  // how odd
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const ColumnInfo& info = input_.schema[columns_[j]];
      const double value = sample_.of(columns_[j])[row];
      if (info.has_levels() || std::isnan(value)) {
        const double share = share_of(j, value);
        // As far out as a number of which so few are farther from the middle: P(|z| > s) ≈ exp(−s²/2).
        if (share < rare_level)
          found.emplace_back(std::sqrt(-2 * std::log(share)),
                             Oddity{.feature = info.name, .deviation = std::nullopt, .share = share});
        continue;
      }
      const double deviation = all_.scales()[j].scaled(value);
      if (std::abs(deviation) >= least_oddity)
        found.emplace_back(std::abs(deviation), Oddity{.feature = info.name, .deviation = deviation});
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (found.size() > oddities_shown) found.resize(oddities_shown);
    std::vector<Oddity> made;
    for (auto& each : found) made.push_back(std::move(each.second));
    return made;
  }

  [[nodiscard]] std::array<double, 2> place_of(std::uint32_t row) const {
    if (projection_) return projection_->at(row);
    std::array<double, 2> place;
    for (std::size_t k = 0; k < 2; ++k) place[k] = sample_.of(input_.schema.require(options_.map[k], ""))[row];
    return place;
  }

  void make_map() {
    ExampleMap map;
    if (options_.map.empty()) {
      std::vector<std::string> names;
      std::vector<std::vector<std::string>> levels;
      for (const std::uint32_t column : columns_) {
        names.push_back(input_.schema[column].name);
        levels.push_back(input_.schema[column].has_levels() ? input_.schema[column].levels()
                                                            : std::vector<std::string>());
      }
      projection_.emplace(all_, names, levels, input_.seed, context_);
      map.axes.assign(projection_->axes().begin(), projection_->axes().end());
      map.shown = projection_->shown();
    } else {
      map.axes = options_.map;
    }
    const auto class_of = [&](std::uint32_t row) {
      const double own = classes_.of_row[row];
      return std::isnan(own) ? std::string() : classes_.names[static_cast<std::size_t>(own)];
    };
    add_background(
        all_, input_.seed, [&](std::uint32_t row) { return place_of(row); },
        classes_.names.empty() ? std::function<std::string(std::uint32_t)>() : class_of, map);
    found_.prototypes.map = std::move(map);
  }

  // Of several classes in turn, so that the first few stand for all.
  void make_items() {
    make_map();
    std::size_t longest = 0, most_critics = 0;
    for (const Chosen& each : chosen_) {
      longest = std::max(longest, each.prototypes.points.size());
      most_critics = std::max(most_critics, each.criticisms.points.size());
    }
    Examples& prototypes = found_.prototypes;
    Examples& criticisms = found_.criticisms;
    prototypes.role = ExampleRole::prototype;
    prototypes.objective = "mmd2";
    criticisms.role = ExampleRole::criticism;
    criticisms.measure = "witness";
    criticisms.objective = "sum |witness| + log det K";
    for (const std::uint32_t column : columns_) prototypes.features.push_back(input_.schema[column].name);
    criticisms.features = prototypes.features;
    for (std::size_t i = 0; i < longest; ++i) {
      for (const Chosen& each : chosen_) {
        if (i >= each.prototypes.points.size()) continue;
        const std::uint32_t row = each.points.first_row(each.prototypes.points[i]);
        Example example = example_of(row);
        if (options_.per_class) example.own_class = each.name;
        example.objective = each.prototypes.discrepancy[i];
        prototypes.rows.push_back(std::move(example));
        rows_.push_back(row);
      }
    }
    for (std::size_t i = 0; i < most_critics; ++i) {
      for (const Chosen& each : chosen_) {
        if (i >= each.criticisms.points.size()) continue;
        Example example = example_of(each.points.first_row(each.criticisms.points[i]));
        if (options_.per_class) example.own_class = each.name;
        example.score = each.criticisms.witness[i];
        example.objective = each.criticisms.objective[i];
        criticisms.rows.push_back(std::move(example));
      }
    }
    assign_rows();
  }

  // For how many rows each prototype stands, and how many have the class of the nearest of those so far.
  void assign_rows() {
    std::vector<Example>& shown = found_.prototypes.rows;
    NearestPrototypes assigned(all_);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      assigned.add(rows_[i], context_);
      if (classes_.names.empty()) continue;
      double right = 0, known = 0;
      for (std::size_t row = 0; row < sample_.rows(); ++row) {
        const double own = classes_.of_row[row];
        if (std::isnan(own)) continue;
        known += sample_.weights[row];
        const std::uint32_t nearest = rows_[assigned.nearest()[all_.points_of_rows()[row]]];
        if (classes_.of_row[nearest] == own) right += sample_.weights[row];
      }
      if (known > 0) shown[i].accuracy = right / known;
    }
    const std::vector<double> stand_for = assigned.stand_for();
    for (std::size_t i = 0; i < shown.size(); ++i) shown[i].stands_for = stand_for[i];
  }

  void add_figure(std::string name, std::string_view id, double value, std::string meaning) {
    found_.figures.emplace_back(Figure{.name = std::move(name),
                                       .id = OpenWord<FigureId>(id),
                                       .output = {},
                                       .group = {},
                                       .value = value,
                                       .se = std::nullopt,
                                       .meaning = std::move(meaning)});
  }

  void add_figures() {
    const std::vector<Example>& shown = found_.prototypes.rows;
    if (!shown.empty() && shown.back().accuracy) {
      add_figure("nearest-prototype accuracy", "nearest-prototype-accuracy", *shown.back().accuracy,
                 "share of rows that have the class of the nearest of " + std::to_string(shown.size()) +
                     (shown.size() == 1 ? " prototype" : " prototypes"));
    }
    add_figure("mean kernel", "mean-kernel", mean_kernel_,
               "of two different rows: near 0 every row is alone, near 1 all are alike");
    add_figure("prototypes shared under γ / 3 and 3γ", "kernel-overlap", std::min(overlap_[0], overlap_[1]),
               "share of the prototypes that are chosen under another width of the kernel too, at the least");
    Value sweep = Value::array();
    for (std::size_t s = 0; s < 2; ++s) {
      sweep.push_back(
          Value::object({{"gamma", gamma_ * (s == 0 ? 1.0 / 3 : 3.0)}, {"overlap", overlap_[s]}, {"kept", kept_[s]}}));
    }
    Value& details = found_.prototypes.details;
    details.set("gamma", gamma_).set("mean_kernel", mean_kernel_).set("sweep", sweep);
    if (!options_.per_class) details.set("enough", enough());
  }

  // So many prototypes after which one more hardly lowers the discrepancy.
  [[nodiscard]] std::uint64_t enough() const {
    const std::vector<double>& steps = chosen_[0].prototypes.discrepancy;
    std::uint64_t last = 1;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (steps[i - 1] - steps[i] >= little_gain * steps[0]) last = i + 1;
    }
    return last;
  }

  void add_caveats() {
    const double overlap = std::min(overlap_[0], overlap_[1]), kept = std::min(kept_[0], kept_[1]);
    const bool flat = all_.size() > 2 && (mean_kernel_ < least_kernel || mean_kernel_ > most_kernel);
    const bool worse = kept < least_kept;
    if (flat || worse || overlap < least_shared) {
      Text message = "the width of the kernel decides which rows are prototypes: under γ / 3 or 3γ ";
      message += percent_text(overlap) + " of them are chosen too";
      if (flat) {
        message += ", and two different rows have a kernel of " + number_text(mean_kernel_) +
                   " on average, so that nearly all are equally far from one another";
      } else if (worse) {
        message += ", and those chosen there are " + percent_text(1 - kept) + " nearer to rows at random";
      } else {
        message += "; those chosen there keep " + percent_text(std::min(1.0, kept)) +
                   " of what these are better than rows at random, and so tell much the same of the data";
      }
      found_.caveats.push_back(
          {.id = "kernel-decides",
           .severity = flat || worse ? Severity::caution : Severity::note,
           .message = std::move(message),
           .evidence =
               Value::object({{"gamma", gamma_}, {"mean_kernel", mean_kernel_}, {"overlap", overlap}, {"kept", kept}}),
           .advice = marked(options_.gamma ? "leave {option:gamma} out, or compare several values of it"
                                           : "compare several values of {option:gamma}, or choose {option:features}")});
    }
    if (fewer_) {
      const std::size_t count = found_.prototypes.rows.size();
      found_.caveats.push_back(
          {.id = "few-distinct-rows",
           .severity = Severity::note,
           .message = "there are no more than " + std::to_string(count) + " different rows to choose prototypes from",
           .evidence = Value::object({{"prototypes", count}, {"wanted", options_.prototypes}}),
           .advice = marked("lower {option:prototypes}")});
    }
    if (sample_.rows() < sample_.available) {
      found_.caveats.push_back({.id = "some-rows",
                                .severity = Severity::note,
                                .message = "prototypes are chosen from " + std::to_string(sample_.rows()) + " of " +
                                           std::to_string(sample_.available) + " rows, drawn at random",
                                .evidence = Value::object({{"rows", sample_.rows()}, {"available", sample_.available}}),
                                .advice = marked("set {option:use_rows} to 0 for all rows")});
    }
    for (const std::uint32_t column : columns_) {
      add_value_caveats(input_.schema, column, sample_.of(column), "it makes no row differ from another",
                        found_.caveats);
    }
  }

  const MethodInput& input_;
  const PrototypesOptions& options_;
  const std::vector<std::uint32_t>& columns_;
  const RowSample& sample_;
  const Context& context_;
  OutcomeClasses classes_;
  ScaledRows all_;
  double gamma_ = 1;
  std::vector<Chosen> chosen_;
  std::vector<std::uint32_t> rows_;  // of the prototypes, in the order shown
  std::optional<MapProjection> projection_;
  mutable std::vector<std::map<double, double>> shares_;
  double mean_kernel_ = 0;
  std::array<double, 2> overlap_ = {}, kept_ = {};
  bool fewer_ = false;
  ChosenRows found_;
};

}  // namespace

ChosenRows choose_rows(const MethodInput& input, const PrototypesOptions& options,
                       const std::vector<std::uint32_t>& columns, const RowSample& sample) {
  return RowSearch(input, options, columns, sample).run();
}

}  // namespace sightglass
