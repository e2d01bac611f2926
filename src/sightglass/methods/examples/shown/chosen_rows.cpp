#include "sightglass/methods/examples/shown/chosen_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/learn/prototypes/class_prototypes.h"
#include "sightglass/learn/prototypes/example_map.h"
#include "sightglass/learn/prototypes/mmd_critic.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/examples/shown/outcome_classes.h"
#include "sightglass/methods/examples/shown/row_oddities.h"
#include "sightglass/methods/grid/feature_groups.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

// Of what the prototypes are better than rows at random, this much must remain under another γ.
constexpr double least_kept = 0.5;
constexpr double least_shared = 0.5;  // of the prototypes that are chosen under another γ too
constexpr double little_gain = 0.01;  // of the first MMD², below which a prototype hardly pays

// Rows of one class, or all, with what was chosen among them.
struct Chosen {
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
        classes_(outcome_classes(input, options.per_class, sample)),
        all_(point_columns(), column_scales(point_columns(), sample.weights), every_row(), sample.weights, context_),
        oddities_(input.schema, columns, sample, all_.scales()) {}

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
    if (!options_.per_class) {
      rows.push_back(every_row());
    } else {
      rows.resize(classes_.names.size());
      for (std::uint32_t row = 0; row < sample_.rows(); ++row) {
        if (!std::isnan(classes_.of_row[row])) rows[static_cast<std::size_t>(classes_.of_row[row])].push_back(row);
      }
      std::erase_if(rows, [](const auto& each) { return each.empty(); });
      if (rows.empty())
        throw Error(ErrorKind::data, marked("{Option:per_class}: no row has a class"), "leave the option out");
    }
    std::vector<double> weights;
    for (const auto& each : rows) {
      double weight = 0;
      for (const std::uint32_t row : each) weight += sample_.weights[row];
      weights.push_back(weight);
    }
    std::vector<std::size_t> different, others;
    for (const auto& each : rows) {
      chosen_.push_back({ScaledRows(all_.columns(), all_.scales(), each, sample_.weights, context_), {}, {}});
      different.push_back(chosen_.back().points.size());
    }
    auto prototypes = divided(static_cast<std::size_t>(options_.prototypes), weights, different);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      prototypes[k] = std::max<std::size_t>(1, prototypes[k]);
      others.push_back(different[k] - std::min(different[k], prototypes[k]));
    }
    const auto criticisms = divided(static_cast<std::size_t>(options_.criticisms), weights, others);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double count = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Chosen& chosen = chosen_[k];
      auto means = kernel_means(chosen.points, gamma_, context_);
      chosen.prototypes = choose_prototypes(chosen.points, means[1], prototypes[k], context_);
      chosen.criticisms = choose_criticisms(chosen.points, means[1], chosen.prototypes, criticisms[k], context_);
      sweep(chosen, means, weights[k] / total);
      count += static_cast<double>(chosen.prototypes.points.size());
    }
    for (std::size_t s = 0; s < 2; ++s) overlap_[s] = common_[s] / count;
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
      common_[s / 2] += common;
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
      made.own_class = classes_.name_of(row);
    } else if (input_.target) {
      const double outcome = sample_.of(*input_.target)[row];
      if (!std::isnan(outcome)) made.target = outcome;
    }
    const auto [x, y] = place_of(row);
    made.x = x;
    made.y = y;
    made.special = oddities_.of(row);
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
    const auto class_of = [&](std::uint32_t row) { return classes_.name_of(row); };
    add_background(
        all_, input_.seed, [&](std::uint32_t row) { return place_of(row); },
        classes_.names.empty() ? std::function<std::string(std::uint32_t)>() : class_of, map);
    found_.prototypes.map = std::move(map);
  }

  // Of several classes in turn, so that the first few stand for all.
  void in_turn(const auto& count, const auto& show) const {
    std::size_t most = 0;
    for (const Chosen& each : chosen_) most = std::max(most, count(each));
    for (std::size_t i = 0; i < most; ++i) {
      for (const Chosen& each : chosen_) {
        if (i < count(each)) show(each, i);
      }
    }
  }

  void make_items() {
    make_map();
    Examples& prototypes = found_.prototypes;
    Examples& criticisms = found_.criticisms;
    prototypes.role = ExampleRole::prototype;
    prototypes.objective = "mmd2";
    criticisms.role = ExampleRole::criticism;
    criticisms.measure = "witness";
    criticisms.objective = "sum |witness| + log det K";
    for (const std::uint32_t column : columns_) prototypes.features.push_back(input_.schema[column].name);
    criticisms.features = prototypes.features;
    in_turn([](const Chosen& each) { return each.prototypes.points.size(); },
            [&](const Chosen& each, std::size_t i) {
              rows_.push_back(each.points.first_row(each.prototypes.points[i]));
              Example& example = prototypes.rows.emplace_back(example_of(rows_.back()));
              example.objective = each.prototypes.discrepancy[i];
            });
    in_turn([](const Chosen& each) { return each.criticisms.points.size(); },
            [&](const Chosen& each, std::size_t i) {
              const std::uint32_t row = each.points.first_row(each.criticisms.points[i]);
              Example& example = criticisms.rows.emplace_back(example_of(row));
              example.score = each.criticisms.witness[i];
              example.objective = each.criticisms.objective[i];
            });
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
    add_figure("γ", "kernel-gamma", gamma_, gamma_text(all_, options_.gamma.has_value()));
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

  void add_kernel_caveat() {
    const double overlap = std::min(overlap_[0], overlap_[1]), kept = std::min(kept_[0], kept_[1]);
    const bool flat = all_.size() > 2 && (mean_kernel_ < least_kernel || mean_kernel_ > most_kernel);
    const bool worse = kept < least_kept;
    if (!flat && !worse && overlap >= least_shared) return;
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

  void add_infinite_caveat() {
    std::size_t infinite = 0;
    for (const std::uint32_t column : columns_) {
      for (const double value : sample_.of(column)) infinite += std::isinf(value) ? 1 : 0;
    }
    if (infinite == 0) return;
    found_.caveats.push_back({.id = "infinite-values",
                              .severity = Severity::note,
                              .message = std::to_string(infinite) + (infinite == 1 ? " value is" : " values are") +
                                         " infinite and count as the most extreme finite ones",
                              .evidence = Value::object({{"values", infinite}}),
                              .advice = "make them missing, or leave such rows out"});
  }

  void add_caveats() {
    add_kernel_caveat();
    const auto wanted = static_cast<std::size_t>(options_.prototypes), count = found_.prototypes.rows.size();
    if (count < wanted) found_.caveats.push_back(few_rows_caveat(count, wanted));
    if (count > wanted) {
      found_.caveats.push_back({.id = "one-per-class",
                                .severity = Severity::note,
                                .message = "each of " + std::to_string(count) +
                                           " classes has one prototype, more than " + std::to_string(wanted) +
                                           " together",
                                .evidence = Value::object({{"prototypes", count}, {"wanted", wanted}}),
                                .advice = marked("leave {option:per_class} out for fewer")});
    }
    const std::size_t criticisms = found_.criticisms.rows.size();
    if (criticisms < static_cast<std::size_t>(options_.criticisms)) {
      found_.caveats.push_back(
          {.id = "few-criticisms",
           .severity = Severity::note,
           .message = "besides the prototypes there are no more than " + std::to_string(criticisms) +
                      " rows that differ enough to be criticisms",
           .evidence = Value::object({{"criticisms", criticisms}, {"wanted", options_.criticisms}}),
           .advice = marked("lower {option:prototypes} or {option:criticisms}")});
    }
    add_infinite_caveat();
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
  RowOddities oddities_;
  double gamma_ = 1;
  std::vector<Chosen> chosen_;
  std::vector<std::uint32_t> rows_;  // of the prototypes, in the order shown
  std::optional<MapProjection> projection_;
  double mean_kernel_ = 0;
  std::array<double, 2> common_ = {}, overlap_ = {}, kept_ = {};  // prototypes chosen under another γ, their share
  ChosenRows found_;
};

}  // namespace

ChosenRows choose_rows(const MethodInput& input, const PrototypesOptions& options,
                       const std::vector<std::uint32_t>& columns, const RowSample& sample) {
  return RowSearch(input, options, columns, sample).run();
}

}  // namespace sightglass
