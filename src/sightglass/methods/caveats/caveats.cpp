#include "sightglass/methods/caveats/caveats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/caveats/overflow_internal.h"

namespace sightglass {

namespace {

// Rows that differ from the average by less than this share of the predictions' spread hide nothing.
constexpr double least_movement = 0.01;

class Attachment {
 public:
  Attachment(Result& result, const MethodEntry& entry, const MethodInput& input, const RunOptions& options,
             const Context& context)
      : result_(result),
        entry_(entry),
        input_(input),
        options_(options),
        profile_(input.profile()),
        context_(context) {}

  void attach() {
    find_outside();
    for (ResultItem& item : result_.results) {
      if (auto* curve = item.as<Curve>()) {
        see(*curve);
      } else if (auto* curves = item.as<Curves>()) {
        see(*curves);
      } else if (auto* surface = item.as<Surface>()) {
        see(*surface);
      } else {
        see_features(item.features());
      }
    }
    add_correlated();
    add_extrapolation();
    add_sparse();
    add_heterogeneity();
    add_wide_data();
  }

 private:
  // Something in the result that is about one feature, and what is changed together with it.
  struct Subject {
    std::uint32_t column = 0;
    RowChange way = RowChange::intervene;
    std::vector<std::uint32_t> together;
  };

  [[nodiscard]] std::optional<std::uint32_t> feature(const std::string& name) const {
    const auto column = input_.schema.find(name);
    return column && profile_.has(*column) ? column : std::nullopt;
  }

  void add_subject(Subject subject) {
    if (subjects_seen_.emplace(subject.column, subject.way, subject.together).second)
      subjects_.push_back(std::move(subject));
  }

  // What the model is given at a point of an axis.
  [[nodiscard]] double value_at(const Axis& axis, std::uint32_t column, std::size_t point) const {
    if (!axis.is_categorical()) return axis.numbers[point];
    const ColumnInfo& info = input_.schema[column];
    if (info.type == DType::boolean) return axis.levels[point] == "true" ? 1 : 0;
    const auto code = info.dictionary ? info.dictionary->find(axis.levels[point]) : std::nullopt;
    return code ? static_cast<double>(*code) : std::nan("");
  }

  // For every feature that rows are given other values of; several at a time.
  void find_outside() {
    std::vector<std::uint32_t> columns;
    const auto want = [&](const std::string& name) {
      const auto column = feature(name);
      if (column && outside_.emplace(*column, DataProfile::OutsideShares()).second) columns.push_back(*column);
    };
    for (const ResultItem& item : result_.results) {
      if (const auto* curve = item.as<Curve>(); curve != nullptr && !curve->mean.empty()) {
        const auto [low, high] = std::minmax_element(curve->mean.begin(), curve->mean.end());
        double& largest = effect_ranges_[curve->output];
        largest = std::max(largest, *high - *low);
        if (entry_.change == RowChange::intervene) want(curve->axis.feature);
      }
      const ItemFeatures features = item.features();
      uses_.insert(features.use);
      if (item.is<Curve>() || item.is<Surface>()) continue;
      if (entry_.change != RowChange::intervene && !item.is<Curves>()) continue;
      for (const auto& names : features.together) std::for_each(names.begin(), names.end(), want);
    }
    others_ = profile_.others_of_each(columns.size());
    context_.parallel_for(columns.size(),
                          [&](std::size_t i) { outside_.at(columns[i]) = profile_.outside(columns[i], others_); });
  }

  void see(Curve& curve) {
    const auto column = feature(curve.axis.feature);
    if (!column || curve.measure == Measure::loss) return;
    const RowChange way = entry_.change;
    add_subject({*column, way, {}});
    mark_sparse(curve.axis, *column, curve.group, curve.count, curve.distribution, curve.sparse);
    // The shares are those of all rows, not of a group.
    if (way == RowChange::intervene && curve.group.empty())
      mark_outside(curve.axis, *column, curve.outside, curve.extrapolated);
    if (!curve.heterogeneity || curve.mean.empty()) return;
    see_heterogeneity(curve.axis.feature, curve.group, curve.output, *curve.heterogeneity, rows_move(curve));
  }

  // Whether single rows leave the common curve by more than next to nothing.
  [[nodiscard]] bool rows_move(const Curve& curve) const {
    if (curve.se_shape.empty()) return true;
    if (curve.measure == Measure::effect) {
      // Local effects know nothing of the predictions' spread: beside the largest of all curves.
      double rows = 0;
      for (const double bin : curve.bin_count) rows += bin * profile_.weight_scale();
      const double error = *std::max_element(curve.se_shape.begin(), curve.se_shape.end());
      const auto largest = effect_ranges_.find(curve.output);
      return largest == effect_ranges_.end() || error * std::sqrt(rows) >= least_movement * largest->second;
    }
    const auto [low, high] = std::minmax_element(curve.mean.begin(), curve.mean.end());
    double spread = (*high - *low) / 2, movement = 0;
    for (const double sd : curve.sd) spread = std::max(spread, sd);
    for (std::size_t k = 0; k < curve.mean.size() && k < curve.se_level.size(); ++k) {
      // sd over rows of the centred curves: se_shape · √n with the n that se_level was made with.
      const double root_rows = curve.se_level[k] > 0 ? curve.sd[k] / curve.se_level[k] : 0;
      movement = std::max(movement, curve.se_shape[k] * root_rows);
    }
    return movement >= least_movement * spread;
  }

  void see(Curves& curves) {
    const auto column = feature(curves.axis.feature);
    if (!column) return;
    add_subject({*column, RowChange::intervene, {}});
    std::vector<std::uint64_t> marked;
    mark_sparse(curves.axis, *column, curves.group, {}, curves.distribution, marked);
    if (curves.group.empty() && !curves.bands.empty()) {
      std::vector<double> shares;
      marked.clear();
      mark_outside(curves.axis, *column, shares, marked);
    }
    if (!curves.heterogeneity || curves.values.empty()) return;
    // From the curves that were kept; centred ones have lost how far apart they are.
    double low = INFINITY, high = -INFINITY, movement = 0;
    for (const auto& curve : curves.values) {
      if (curve.empty()) return;
      const auto [least, most] = std::minmax_element(curve.begin(), curve.end());
      low = std::min(low, *least);
      high = std::max(high, *most);
      movement = std::max(movement, *most - *least);
    }
    const bool centred = curves.anchor || !curves.anchor_level.empty();
    see_heterogeneity(curves.axis.feature, curves.group, curves.output, *curves.heterogeneity,
                      centred || movement >= least_movement * (high - low));
  }

  void see(Surface& surface) {
    const auto first = feature(surface.first.feature), second = feature(surface.second.feature);
    if (!first || !second) return;
    const RowChange way = entry_.change;
    // Set together they may still go together: then part of the surface is empty.
    add_subject({*first, way, {}});
    add_subject({*second, way, {}});
    if (way != RowChange::intervene || !surface.group.empty() || !pairs_seen_.emplace(*first, *second).second) return;
    const auto is_outside = profile_.outside_pair(*first, *second);
    std::size_t cells = 0, out = 0;
    for (std::size_t a = 0; a < surface.first.size(); ++a) {
      for (std::size_t b = 0; b < surface.second.size(); ++b) {
        ++cells;
        out += is_outside(value_at(surface.first, *first, a), value_at(surface.second, *second, b)) ? 1 : 0;
      }
    }
    const double share = cells == 0 ? 0 : static_cast<double>(out) / static_cast<double>(cells);
    if (!(share > options_.extrapolation_threshold)) return;
    const std::string& name = surface.first.feature;
    const std::string& other = surface.second.feature;
    extrapolation_.push_back({.name = feature_name(name) + " with " + feature_name(other),
                              .text = percent_text(share),
                              .ending = " of the surface of " + feature_name(name) + " and " + feature_name(other) +
                                        " is combinations that the data do not contain",
                              .evidence = Value::object({{"feature", name}, {"other", other}, {"share", share}}),
                              .strength = share});
  }

  // Of any shape that has no grid to mark.
  void see_features(const ItemFeatures& features) {
    // Attributions speak of every feature already, and pairs of them are not set together.
    if (uses(FeatureUse::attribution) && features.use != FeatureUse::attribution) return;
    for (const auto& names : features.together) {
      std::vector<std::uint32_t> columns;
      for (const std::string& name : names) {
        if (const auto column = feature(name)) columns.push_back(*column);
      }
      for (const std::uint32_t column : columns) add_subject({column, entry_.change, columns});
      if (entry_.change == RowChange::intervene) see_scattered(columns);
    }
  }

  // Features that take one another's values all over the data.
  void see_scattered(const std::vector<std::uint32_t>& columns) {
    for (const std::uint32_t column : columns) {
      // Pairs of an interaction analysis repeat their features many times over.
      if (!scattered_seen_.emplace(column, columns).second) continue;
      const auto outside =
          columns.size() == 1 ? outside_.at(column).mean() : profile_.outside(column, others_, columns).mean();
      if (!(outside.share > options_.extrapolation_threshold)) continue;
      const std::string& name = input_.schema[column].name;
      const std::string& other = input_.schema[outside.other].name;
      CaveatPart& worst = scattered_[column];
      if (worst.strength >= outside.share) continue;
      worst = {.name = feature_name(name),
               .text = percent_text(outside.share),
               .ending = " of the rows that are given another row's " + feature_name(name) +
                         " become combinations with " + feature_name(other) + " that the data do not contain",
               .evidence = Value::object({{"feature", name}, {"other", other}, {"share", outside.share}}),
               .strength = outside.share};
    }
  }

  void mark_sparse(const Axis& axis, std::uint32_t column, const std::string& group, const std::vector<double>& count,
                   const Distribution& distribution, std::vector<std::uint64_t>& marked) {
    marked.clear();
    const bool counted = count.size() == axis.size();
    double rows = profile_.counted_rows();
    if (counted && !distribution.counts.empty()) {
      rows = distribution.missing;
      for (const double bin : distribution.counts) rows += bin;
      rows *= profile_.weight_scale();
    }
    const double least = std::max(static_cast<double>(options_.sparse_rows), options_.sparse_share * rows);
    double fewest = rows;
    for (std::size_t point = 0; point < axis.size(); ++point) {
      const double near =
          counted ? count[point] * profile_.weight_scale() : profile_.rows_near(column, value_at(axis, column, point));
      if (near < least) {
        marked.push_back(point);
        fewest = std::min(fewest, near);
      }
    }
    if (marked.empty() || !sparse_seen_.insert(column).second) return;
    const Region region = describe_region(axis, marked);
    Value evidence = Value::object({{"feature", axis.feature},
                                    {axis.is_categorical() ? "levels" : "ranges", region.evidence},
                                    {"fewest", fewest},
                                    {"threshold", least}});
    if (!group.empty()) evidence.set("group", group);
    sparse_.push_back({.name = feature_name(axis.feature),
                       .text = region.text + (group.empty() ? "" : " (" + group + ")"),
                       .evidence = std::move(evidence),
                       .strength = static_cast<double>(marked.size()) / static_cast<double>(axis.size())});
  }

  void mark_outside(const Axis& axis, std::uint32_t column, std::vector<double>& shares,
                    std::vector<std::uint64_t>& marked) {
    shares.clear();
    marked.clear();
    DataProfile::Outside worst;
    for (std::size_t point = 0; point < axis.size(); ++point) {
      const auto at = outside_.at(column).at(value_at(axis, column, point));
      shares.push_back(at.share);
      if (at.share > options_.extrapolation_threshold) marked.push_back(point);
      if (at.share > worst.share) worst = at;
    }
    if (marked.empty() || !outside_seen_.insert(column).second) return;
    const Region region = describe_region(axis, marked);
    const std::string& other = input_.schema[worst.other].name;
    extrapolation_.push_back(
        {.name = feature_name(axis.feature),
         .text = region.text + ": up to " + percent_text(worst.share),
         .ending = " of the rows become combinations with " + feature_name(other) + " that the data do not contain",
         .evidence = Value::object({{"feature", axis.feature},
                                    {"other", other},
                                    {"share", worst.share},
                                    {axis.is_categorical() ? "levels" : "ranges", region.evidence}}),
         .strength = worst.share});
  }

  void see_heterogeneity(const std::string& name, const std::string& group, const std::string& output, double share,
                         bool matters) {
    if (!matters || !(share > options_.heterogeneity_threshold)) return;
    const Text called = feature_name(name);
    const auto at = std::find_if(hidden_.begin(), hidden_.end(), [&](const auto& f) { return f.name == called; });
    if (at != hidden_.end() && at->strength >= share) return;
    CaveatPart finding{
        .name = called,
        .text = percent_text(share),
        .ending = " of how single rows move along " + called + (group.empty() ? "" : " (" + group + ")") +
                  " is not in the average curve",
        .evidence = Value::object(
            {{"feature", name}, {"output", output}, {"value", share}, {"threshold", options_.heterogeneity_threshold}}),
        .strength = share};
    if (!group.empty()) finding.evidence.set("group", group);
    if (at != hidden_.end()) {
      *at = std::move(finding);
    } else {
      hidden_.push_back(std::move(finding));
    }
  }

  [[nodiscard]] bool uses(FeatureUse use) const { return uses_.contains(use); }

  // How the numbers about pairs of features came about.
  [[nodiscard]] Value about_rows(double threshold) const {
    return Value::object({{"threshold", threshold}, {"rows", profile_.rows()}, {"available", profile_.available()}});
  }
  [[nodiscard]] std::string sampled() const {
    if (profile_.rows() >= profile_.available()) return "";
    return " (by " + std::to_string(profile_.rows()) + " of " + std::to_string(profile_.available()) + " rows)";
  }
  [[nodiscard]] Text use_all() const {
    return profile_.rows() >= profile_.available() ? Text() : marked("; {option:caveat_rows} 0 looks at all rows");
  }

  void add_correlated() {
    if (entry_.needs.model == Need::none) return;  // nothing is said of what a feature does
    std::vector<std::uint32_t> wanted;
    std::map<std::uint32_t, std::size_t> place;
    for (const Subject& subject : subjects_) {
      if (place.emplace(subject.column, wanted.size()).second) wanted.push_back(subject.column);
    }
    others_ = std::min(others_, profile_.others_of_each(wanted.size()));
    const auto ties = profile_.ties(wanted, options_.correlation_threshold, context_);
    std::map<RowChange, std::vector<CaveatPart>> findings;
    std::set<std::tuple<RowChange, std::uint32_t, std::uint32_t>> told;
    for (const Subject& subject : subjects_) {
      std::vector<DataProfile::Tie> tied = ties[place.at(subject.column)];
      std::erase_if(tied, [&](const DataProfile::Tie& tie) {
        const std::uint32_t other = profile_.columns()[tie.other];
        return std::find(subject.together.begin(), subject.together.end(), other) != subject.together.end();
      });
      if (tied.empty()) continue;
      std::stable_sort(tied.begin(), tied.end(), [](const DataProfile::Tie& a, const DataProfile::Tie& b) {
        return a.association.lower > b.association.lower;
      });
      const std::uint32_t other = profile_.columns()[tied[0].other];
      // Of two that are each other's nearest one sentence is enough; of one feature in many groups as well.
      if (!told.emplace(subject.way, std::min(subject.column, other), std::max(subject.column, other)).second) continue;
      const Association& strongest = tied[0].association;
      const std::string_view measure = profile_.measure(subject.column, other);
      const std::string measure_text = measure == "spearman"            ? "Spearman correlation"
                                       : measure == "correlation-ratio" ? "correlation ratio"
                                                                        : "Cramér's V";
      const std::string& name = input_.schema[subject.column].name;
      const std::string& other_name = input_.schema[other].name;
      Value others = Value::array();
      for (std::size_t i = 1; i < tied.size(); ++i)
        others.push_back(input_.schema[profile_.columns()[tied[i].other]].name);
      Value evidence = Value::object({{"feature", name},
                                      {"other", other_name},
                                      {"measure", std::string(measure)},
                                      {"value", strongest.value},
                                      {"lower", strongest.lower}});
      if (!others.as_array().empty()) evidence.set("others", others);
      findings[subject.way].push_back({.name = feature_name(name) + " with " + feature_name(other_name),
                                       .text = feature_name(name) + " and " + feature_name(other_name) +
                                               " go together (" + measure_text + " " + number_text(strongest.value) +
                                               ", at least " + number_text(strongest.lower) + ")",
                                       .evidence = std::move(evidence),
                                       .strength = strongest.lower});
    }
    for (auto& [way, each] : findings) {
      CaveatText text = correlated_text(way);
      text.shared = about_rows(options_.correlation_threshold);
      text.advice += use_all();
      text.meaning = sampled() + text.meaning;
      add_findings(text, std::move(each), result_.caveats);
    }
  }

  [[nodiscard]] CaveatText correlated_text(RowChange way) const {
    if (way == RowChange::nearby) {
      return {.id = "correlated-features",
              .severity = Severity::note,
              .meaning = ": what they do together is credited to each as the model happens to use it",
              .advice = "read their curves together"};
    }
    if (way == RowChange::none && !uses(FeatureUse::effect)) {
      return {.id = "correlated-features",
              .meaning = ": what is found of one is in part what the other does",
              .advice = "read them together"};
    }
    if (way == RowChange::none) {
      return {.id = "correlated-features",
              .meaning = ": the curve of one shows the effect of the other as well",
              .advice = marked("use {method:ale} for the effect of one alone; {method:compare} draws both")};
    }
    if (uses(FeatureUse::attribution)) {
      return {.id = "correlated-features",
              .meaning = ": they share the credit as the model happens to use them, partly by rows that do not occur",
              .advice = "read their values together, as one sum"};
    }
    if (uses(FeatureUse::importance)) {
      return {.id = "correlated-features",
              .meaning = ": one can stand in for the other, and changing one alone makes rows that do not occur",
              .advice = marked("treat them as one group, or compare with {method:ale}")};
    }
    if (uses(FeatureUse::interaction)) {
      return {.id = "correlated-features",
              .meaning = ": changing one alone makes rows that do not occur, whose predictions look like interactions",
              .advice = marked("check a pair with {method:ale} before believing its interaction")};
    }
    return {.id = "correlated-features",
            .meaning = ": changing one alone asks the model about rows that do not occur",
            .advice = marked("use {method:ale}, which stays inside the data")};
  }

  void add_extrapolation() {
    // Where a feature has a curve, that says it better.
    for (auto& [column, finding] : scattered_) {
      if (!outside_seen_.contains(column)) extrapolation_.push_back(std::move(finding));
    }
    add_findings(
        {.id = "extrapolation",
         .meaning = sampled(),
         .advice = (uses(FeatureUse::importance) || uses(FeatureUse::interaction) || uses(FeatureUse::attribution)
                        ? marked("take features that go together as one, and check with {method:ale}")
                        : marked("use {method:ale}, which stays inside the data")) +
                   use_all(),
         .shared = about_rows(options_.extrapolation_threshold)},
        std::move(extrapolation_), result_.caveats);
  }

  void add_sparse() {
    add_findings(
        {.id = "sparse-region", .meaning = ": too few rows to stand on", .advice = "do not read the curve there"},
        std::move(sparse_), result_.caveats);
  }

  void add_heterogeneity() {
    const Text rows = marked("{method:ice} with {the option:ice.center} shows the single rows");
    const Text groups = marked("{method:regional-effects} finds groups of rows that agree");
    add_findings({.id = "hidden-heterogeneity",
                  .meaning = "",
                  .advice = uses(FeatureUse::single_rows)                      ? groups
                            : entry_.estimand == Estimand::regional_dependence ? rows
                                                                               : rows + "; " + groups},
                 std::move(hidden_), result_.caveats);
  }

  void add_wide_data() {
    const std::size_t features = profile_.columns().size();
    if (others_ >= features) return;
    result_.caveats.push_back({.id = "wide-data",
                               .severity = Severity::note,
                               .message = "each of the " + std::to_string(features) + " features was held against " +
                                          std::to_string(others_) +
                                          " others only: features that go together may be missed",
                               .evidence = Value::object({{"features", features}, {"others", others_}}),
                               .advice = marked("name those to explain with {option:features}")});
  }

  Result& result_;
  const MethodEntry& entry_;
  const MethodInput& input_;
  const RunOptions& options_;
  const DataProfile& profile_;
  const Context& context_;
  std::set<FeatureUse> uses_;  // by the items of the result
  std::vector<Subject> subjects_;
  std::set<std::tuple<std::uint32_t, RowChange, std::vector<std::uint32_t>>> subjects_seen_;
  std::size_t others_ = DataProfile::all_others;  // that each feature is held against
  std::map<std::uint32_t, DataProfile::OutsideShares> outside_;
  std::map<std::string, double> effect_ranges_;  // per output: of the curve that moves most
  std::set<std::uint32_t> sparse_seen_, outside_seen_;
  std::set<std::pair<std::uint32_t, std::vector<std::uint32_t>>> scattered_seen_;
  std::map<std::uint32_t, CaveatPart> scattered_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_seen_;
  std::vector<CaveatPart> extrapolation_, sparse_, hidden_;
};

Caveat weak_model(const ModelSkill& skill, const MethodInput& input, const RunOptions& options) {
  Value evidence = Value::object({{"measure", skill.measure},
                                  {"value", skill.skill},
                                  {"threshold", options.skill_threshold},
                                  {"rows", skill.rows},
                                  {"available", input.rows}});
  if (skill.reversed_auc) {
    evidence.set("auc", *skill.reversed_auc);
    return {.id = "weak-model",
            .severity = Severity::warning,
            .message = "the model's two classes look swapped: it orders the rows the wrong way round (AUC " +
                       number_text(*skill.reversed_auc) + ")",
            .evidence = std::move(evidence),
            .advice = marked("check of which class the model predicts the probability; {option:classes} names the "
                             "classes in the model's order")};
  }
  return {.id = "weak-model",
          .severity = Severity::warning,
          .message = skill.skill <= 0 ? "the model predicts the target no better than a constant does (skill " +
                                            number_text(skill.skill) + ")"
                                      : "the model is hardly better than a constant prediction: it takes away " +
                                            percent_text(skill.skill) + " of its loss",
          .evidence = std::move(evidence),
          .advice =
              "the explanation describes this model, not the world; check that target and classes are the "
              "model's"};
}

}  // namespace

void attach_caveats(Result& result, const MethodEntry& entry, const MethodInput& input, const RunOptions& options,
                    const std::optional<ModelSkill>& skill, const Context& context) {
  if (input.profile) Attachment(result, entry, input, options, context).attach();
  if (skill && skill->skill < options.skill_threshold) result.caveats.push_back(weak_model(*skill, input, options));
  if (options.training_data && entry.needs.target == Need::required) {
    result.caveats.push_back(
        {.id = "training-data",
         .severity = Severity::caution,
         .message = "the model was trained on these data: features it learned by heart look important",
         .evidence = Value::object({{"rows", input.rows}}),
         .advice = "use data that the model has not seen"});
  }
  add_overflow_caveat(result);
}

}  // namespace sightglass
