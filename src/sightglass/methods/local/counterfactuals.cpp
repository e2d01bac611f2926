#include "sightglass/methods/local/counterfactuals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/methods/local/recourse/feature_moves.h"
#include "sightglass/methods/local/recourse/recourse_map.h"
#include "sightglass/methods/local/recourse/searched_changes_internal.h"
#include "sightglass/methods/local/recourse/second_model.h"
#include "sightglass/methods/local/recourse/tree_changes_internal.h"
#include "sightglass/methods/local/recourse/wanted_outcome_internal.h"
#include "sightglass/methods/rows/explained_rows.h"
#include "sightglass/methods/rows/nearest_rows.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

// Numbers that searches by trees keep for every leaf, all that are there at once: half a gigabyte.
constexpr double most_leaf_numbers = 6e7;

// One answer to one row.
struct Request {
  std::size_t row = 0;  // among those that are explained
  WantedOutcome wanted;
  bool already = false;
};

struct Work {
  MethodInput input;
  CounterfactualsOptions options;
  PredictedClass classes;
  std::optional<std::size_t> want;
  ExplainedRows explained;
  std::vector<FeatureValues> values;
  LabelledRows data;
  std::vector<FeatureMoves> features;
  std::vector<Request> requests;
  std::optional<SecondModel> second;

  [[nodiscard]] bool wants_class() const { return !options.at_least && !options.at_most && !options.change; }
  [[nodiscard]] const LabelledRow& row(const Request& request) const { return data.named[request.row]; }
};
using WorkPtr = std::shared_ptr<const Work>;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 20); ++i)
    text += (i == 0 ? "" : ", ") + printable(names[i], 60);
  return text + (names.size() > 20 ? " and " + std::to_string(names.size() - 20) + " more" : "");
}

void check(Work& work) {
  const CounterfactualsOptions& options = work.options;
  const MethodInput& input = work.input;
  if (input.features.empty()) throw Error(ErrorKind::data, "the model uses no feature: there is nothing to change");
  const bool number = !work.wants_class();
  if (number && !options.want.empty())
    throw Error(ErrorKind::usage, marked("{Option:want}: a class and a number are wanted at once"),
                marked("leave out {option:want}, or {option:at_least}, {option:at_most} and {option:change}"));
  if (options.change && (options.at_least || options.at_most))
    throw Error(ErrorKind::usage, marked("{Option:change}: bounds are given besides"),
                marked("give {option:change}, or {option:at_least} and {option:at_most}"));
  for (const auto& [value, name] : {std::pair(options.at_least, "at_least"), std::pair(options.at_most, "at_most"),
                                    std::pair(options.change, "change")}) {
    if (value && !std::isfinite(*value))
      throw Error(ErrorKind::usage, option_text(name) + ": a number, please", "predictions are finite");
  }
  if (options.change == 0.0)
    throw Error(ErrorKind::usage, marked("{Option:change}: 0 changes nothing"), "say by how much");
  if (options.at_least && options.at_most && *options.at_least > *options.at_most)
    throw Error(ErrorKind::usage, marked("{Option:at_least}: is more than {option:at_most}"),
                "no number lies between them");
  if (!number && !work.classes.any())
    throw Error(ErrorKind::usage,
                options.want.empty() ? marked("what is wanted? The model predicts numbers")
                                     : marked("{Option:want}: the model predicts numbers, not classes"),
                marked("give {option:at_least}, {option:at_most} or {option:change}"));
  if (!options.want.empty()) {
    const auto& names = work.classes.names();
    const auto at = std::find(names.begin(), names.end(), options.want);
    if (at == names.end())
      throw Error(
          ErrorKind::usage, marked("{Option:want}: the model knows no class ") + printable(options.want, 60),
          "its classes are " + listed(names) + "; other names can be given to them, in the model's order, as classes");
    work.want = static_cast<std::size_t>(at - names.begin());
  }
  if (!number && work.classes.names().size() < 2)
    throw Error(ErrorKind::usage, "the model knows one class only", "there is no other that could be wanted");
  if (options.search == "trees" && input.trees == nullptr)
    throw Error(ErrorKind::usage, marked("{Option:search}: the model is not explained by trees"),
                "leave the option out: the model is then asked");
  check_allowed(input, {.fixed = options.fixed, .only_rise = options.only_rise, .only_fall = options.only_fall});
}

// What is wanted of a row: one class, or each of the outputs that are explained.
std::vector<WantedOutcome> wanted_of(const Work& work, const LabelledRow& row) {
  std::vector<WantedOutcome> all;
  if (work.wants_class()) {
    const std::size_t own = work.classes.of(row.predictions);
    std::size_t chosen = own == 0 ? 1 : 0;
    if (work.want) {
      chosen = *work.want;
    } else if (!work.classes.one_output()) {
      for (std::size_t other = 0; other < row.predictions.size(); ++other) {
        if (other != own && row.predictions[other] > row.predictions[chosen]) chosen = other;
      }
    }
    all.push_back({.output = work.classes.output_of(chosen), .chosen_class = chosen});
    return all;
  }
  for (const std::size_t output : work.input.explained) {
    WantedOutcome wanted{.output = output, .at_least = work.options.at_least, .at_most = work.options.at_most};
    if (const auto change = work.options.change)
      (*change > 0 ? wanted.at_least : wanted.at_most) = row.predictions[output] + *change;
    all.push_back(wanted);
  }
  return all;
}

// Goals and searches for what is wanted; rows that want the same share one. Nothing where the structure of trees cannot
// answer all of them.
class TreeSearches {
 public:
  static std::optional<TreeSearches> of(const Work& work, const std::vector<std::size_t>& open) {
    if (work.input.trees == nullptr || work.options.search == "asking") return std::nullopt;
    TreeSearches made;
    std::map<std::tuple<std::size_t, std::optional<std::size_t>, std::optional<double>, std::optional<double>>,
             std::size_t>
        known;
    for (const std::size_t i : open) {
      const WantedOutcome& wanted = work.requests[i].wanted;
      const auto [at, is_new] = known.emplace(
          std::tuple(wanted.output, wanted.chosen_class, wanted.at_least, wanted.at_most), made.goals_.size());
      if (is_new) {
        const double outputs = static_cast<double>(work.input.outputs.size());
        const double numbers = outputs * outputs * static_cast<double>(made.goals_.size() + 1);
        std::optional<LeafGoal> goal = leaf_goal(work.input, work.classes, wanted);
        if (!goal || numbers > most_leaf_numbers) return std::nullopt;
        made.goals_.push_back(std::move(*goal));
      }
      made.goal_of_.push_back(at->second);
    }
    if (!made.goals_.empty() &&
        CheapestChange::size(work.input.trees->parts(), made.goals_.front()) > most_leaf_numbers)
      return std::nullopt;
    return made;
  }

  [[nodiscard]] std::vector<FoundChanges> find(const Work& work, const std::vector<std::size_t>& open) const {
    std::vector<FoundChanges> found(open.size());
    const ChangeLimits limits{.most_features = static_cast<std::size_t>(work.options.max_changes),
                              .count = static_cast<std::size_t>(work.options.count),
                              .boxes = static_cast<std::uint64_t>(work.options.boxes)};
    if (open.empty()) return found;
    const auto threads = static_cast<double>(work.input.context->threads());
    const double room = most_leaf_numbers / CheapestChange::size(work.input.trees->parts(), goals_.front());
    // What is wanted of each row by itself needs a search each, which is kept no longer than its row.
    std::vector<std::unique_ptr<const TreeChanges>> shared(goals_.size());
    const bool few = goals_.size() <= most_shared && static_cast<double>(goals_.size()) + threads <= room;
    for (std::size_t i = 0; i < goals_.size() && few; ++i)
      shared[i] = std::make_unique<const TreeChanges>(work.input, work.features, goals_[i]);
    const auto search = [&](std::size_t i) {
      const std::vector<double>& values = work.row(work.requests[open[i]]).values;
      found[i] = few ? shared[goal_of_[i]]->find(values, limits)
                     : TreeChanges(work.input, work.features, goals_[goal_of_[i]]).find(values, limits);
    };
    if (few || 2 * threads <= room) {
      work.input.for_each("searching for changes", open.size(), search);
    } else {
      // So large an ensemble is searched by one thread: what is found is the same.
      for (std::size_t i = 0; i < open.size(); ++i) search(i);
    }
    return found;
  }

 private:
  static constexpr std::size_t most_shared = 8;

  std::vector<LeafGoal> goals_;
  std::vector<std::size_t> goal_of_;  // of each request that is open
};

std::vector<double> changed_values(const LabelledRow& row, const FoundChange& change) {
  std::vector<double> values = row.values;
  for (std::size_t i = 0; i < change.features.size(); ++i) values[change.features[i]] = change.values[i];
  return values;
}

Value shown_value(const ColumnInfo& column, double value) {
  if (std::isnan(value)) return {};
  if (!column.has_levels()) return value;
  const auto code = static_cast<std::size_t>(value);
  return code < column.level_count() ? Value(column.level(code)) : Value(value);
}

std::string among_text(const Work& work) {
  return "changes of at most " + std::to_string(work.options.max_changes) +
         (work.options.max_changes == 1 ? " feature" : " features") +
         (work.options.within == "data" ? " inside the range of the data" : "");
}

// Of the search as a whole.
Proof proof_of(const Work& work, const FoundChanges& found) {
  Proof proof{.among = among_text(work), .explored = found.explored};
  if (!found.proven) {
    proof.status = ProofStatus::sampled;
    return proof;
  }
  const LadderRung* last = nullptr;
  bool smaller_refuted = true;
  for (const LadderRung& rung : found.ladder) {
    if (rung.status == RungStatus::reached) {
      last = &rung;
      break;
    }
    smaller_refuted = smaller_refuted && rung.status == RungStatus::unreachable;
  }
  if (last == nullptr) {
    if (smaller_refuted) proof.status = ProofStatus::optimal;
    return proof;
  }
  if (!smaller_refuted) return proof;
  proof.bound = last->bound;
  proof.status = found.changes.front().cheapest ? ProofStatus::optimal : ProofStatus::bounded;
  return proof;
}

Counterfactuals item_of(const Work& work, const Request& request, const FoundChanges& found) {
  const MethodInput& input = work.input;
  const LabelledRow& row = work.row(request);
  Counterfactuals item{.row = row.id, .prediction = row.predictions[request.wanted.output]};
  if (!work.wants_class() && input.outputs.size() > 1) item.output = input.outputs[request.wanted.output];
  if (work.classes.any()) item.predicted_class = work.classes.name(work.classes.of(row.predictions));
  if (request.wanted.chosen_class) item.wanted_class = work.classes.name(*request.wanted.chosen_class);
  item.at_least = request.wanted.at_least;
  item.at_most = request.wanted.at_most;
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    const ColumnInfo& column = input.schema[input.features[j]];
    item.data.set(column.name, shown_value(column, row.values[j]));
  }
  item.status = request.already ? RecourseStatus::already : found.status;
  item.details.set("prediction_of", input.outputs[request.wanted.output]);
  if (request.already) return item;
  item.ladder = found.ladder;
  item.proof = proof_of(work, found);
  item.details.set("search", found.proven ? "trees" : "asking");
  std::size_t movable = 0;
  for (std::size_t j = 0; j < work.features.size(); ++j) movable += work.features[j].moves(row.values[j]) ? 1 : 0;
  item.details.set("may_change", movable);
  for (const FoundChange& change : found.changes) {
    CounterfactualRow& shown = item.changes.emplace_back();
    shown.cost = change.cost;
    for (std::size_t i = 0; i < change.features.size(); ++i) {
      const FeatureMoves& feature = work.features[change.features[i]];
      shown.values.set(feature.name, shown_value(input.schema[feature.column], change.values[i]));
      shown.costs.set(feature.name, feature.cost(row.values[change.features[i]], change.values[i]));
    }
    if (!found.proven) continue;
    Proof proof{.status = change.cheapest ? ProofStatus::optimal : ProofStatus::bounded,
                .among = "changes of as few features, of other sets than those before"};
    for (const LadderRung& rung : found.ladder) {
      if (rung.features == change.features.size()) proof.bound = change.cheapest ? change.cost : rung.bound;
    }
    shown.proof = proof;
  }
  return item;
}

void add_caveats(const Work& work, const NearestRows& nearest, const std::vector<LabelledRow>& changed,
                 Result& result) {
  add_some_rows_caveat(work.explained, result.caveats);
  if (work.data.of_data < work.data.available)
    result.caveats.push_back(
        {.id = "sampled-rows",
         .severity = Severity::note,
         .message = "costs are measured by how far values usually are from the middle in " +
                    std::to_string(work.data.of_data) + " of " + std::to_string(work.data.available) +
                    " rows, drawn at random, among which the nearest ones are looked for, too",
         .evidence = Value::object({{"rows", work.data.of_data}, {"available", work.data.available}}),
         .advice = marked("set {option:compare_rows} to 0 to use all rows")});
  add_strange_rows(nearest, work.data.named, result.caveats);
  std::size_t missing = 0;
  for (const LabelledRow& row : work.data.named) {
    missing +=
        std::any_of(row.values.begin(), row.values.end(), [](double value) { return std::isnan(value); }) ? 1 : 0;
  }
  if (missing > 0) {
    result.caveats.push_back(
        {.id = "missing-stays",
         .severity = Severity::note,
         .message =
             (work.data.named.size() == 1 ? std::string("the row lacks values")
                                          : std::to_string(missing) + " of " + std::to_string(work.data.named.size()) +
                                                (missing == 1 ? " rows lacks values" : " rows lack values")) +
             ": what is missing stays missing in every change",
         .evidence = Value::object({{"rows", missing}, {"of", work.data.named.size()}}),
         .advice = "fill in the values, where they can be known, and ask again"});
  }
  std::size_t strange = 0;
  for (const LabelledRow& row : changed) {
    const auto found = nearest.strangeness(row);
    strange += found && found->unusual() ? 1 : 0;
  }
  if (strange > 0) {
    result.caveats.push_back(
        {.id = "implausible-change",
         .severity = Severity::caution,
         .message =
             std::to_string(strange) + " of " + std::to_string(changed.size()) +
             " smallest changes lead to a row unlike the data: farther from the nearest rows than 99 % of rows are",
         .evidence = Value::object({{"changes", strange}, {"of", changed.size()}}),
         .advice =
             marked("look at the distance to the nearest row beside each; {option:fixed|fix} features that cannot "
                    "change by themselves, or ask for a larger {option:count|count}")});
  }
  if (changed.empty()) return;
  result.caveats.push_back(
      {.id = "model-not-causal",
       .severity = Severity::note,
       .message = "changes say what the model would answer for another row, not what would happen if somebody changed "
                  "these values in the world",
       .evidence = Value::object({{"changes", changed.size()}}),
       .advice =
           "before acting on one, ask whether the feature causes the outcome, and what else would change with it"});
}

// A row with the outcome that knows all features: a row without values is near to everything.
bool is_wanted(const Work& work, const Request& request, std::size_t row) {
  if (work.data.ids[row] == work.row(request).id) return false;
  if (!request.wanted.holds(work.classes, work.data.answer(row))) return false;
  for (std::size_t j = 0; j < work.features.size(); ++j) {
    if (std::isnan(work.data.values[j][row]) && !std::isnan(work.row(request).values[j])) return false;
  }
  return true;
}

// Of each changed row the nearest row that has the outcome.
std::vector<std::optional<NearRow>> nearest_wanted(const Work& work, const NearestRows& nearest,
                                                   const std::vector<std::vector<double>>& made,
                                                   const std::vector<const Request*>& whose) {
  std::vector<std::optional<NearRow>> near(made.size());
  work.input.for_each("looking for rows like it", made.size(), [&](std::size_t i) {
    near[i] = nearest.nearest_that(made[i], [&](std::size_t row) { return is_wanted(work, *whose[i], row); });
  });
  return near;
}

// The model's own answers to what was found, in the order of the items, and those of a second model, if there is one.
Result told(const Work& work, const std::vector<FoundChanges>& found, const Matrix& predictions, const Matrix& others) {
  Result result;
  std::vector<Counterfactuals> items;
  std::vector<LabelledRow> smallest;
  const NearestRows nearest(work.input, work.data);
  std::vector<std::vector<double>> made;  // values of all changed rows
  std::vector<const Request*> whose;
  std::size_t next = 0, at = 0;
  for (const Request& request : work.requests) {
    const FoundChanges none;
    const FoundChanges& changes = request.already ? none : found[next++];
    Counterfactuals item = item_of(work, request, changes);
    const std::uint64_t row_id = work.row(request).id;
    for (std::size_t i = 0; i < changes.changes.size(); ++i, ++at) {
      const std::span<const double> answer = predictions.span().row(at);
      // Structure and predictions are one model: anything else is a mistake of ours.
      if (!request.wanted.holds(work.classes, answer))
        throw Error(ErrorKind::internal, "a change of " + row_text(row_id) + " does not lead to what is wanted");
      item.changes[i].prediction = answer[request.wanted.output];
      if (work.classes.any()) item.changes[i].predicted_class = work.classes.name(work.classes.of(answer));
      if (work.second) item.changes[i].other = work.second->answer(item, others.span().row(at));
      made.push_back(changed_values(work.row(request), changes.changes[i]));
      whose.push_back(&request);
      if (i == 0) smallest.push_back({.id = row_id, .values = made.back(), .predictions = {}});
    }
    items.push_back(std::move(item));
  }
  const std::vector<std::optional<NearRow>> near = nearest_wanted(work, nearest, made, whose);
  at = 0;
  for (Counterfactuals& item : items) {
    for (CounterfactualRow& change : item.changes) {
      if (near[at]) {
        change.distance_to_data = near[at]->distance;
        change.nearest_row = work.data.ids[near[at]->row];
      }
      ++at;
    }
  }
  add_recourse_map(items, result);
  if (work.second) add_kept_recourse(items, result);
  add_caveats(work, nearest, smallest, result);
  for (Counterfactuals& item : items) result.results.emplace_back(std::move(item));
  return result;
}

Chain<Result> tell(const WorkPtr& work, const std::vector<FoundChanges>& found) {
  std::vector<std::vector<double>> values(work->input.features.size());
  std::size_t next = 0;
  for (const Request& request : work->requests) {
    if (request.already) continue;
    for (const FoundChange& change : found[next++].changes) {
      const std::vector<double> changed = changed_values(work->row(request), change);
      for (std::size_t j = 0; j < values.size(); ++j) values[j].push_back(changed[j]);
    }
  }
  if (values[0].empty()) return told(*work, found, Matrix(), Matrix());
  const MadeRows rows(work->input.schema, work->input.features, values);
  return ask(rows).then([work, found, rows](const Matrix& predictions) -> Chain<Result> {
    if (!work->second) return told(*work, found, predictions, Matrix());
    return ask(rows, AskedModel::other).then([work, found, predictions](const Matrix& others) {
      return told(*work, found, predictions, others);
    });
  });
}

// What asking finds for some of the requests.
Chain<std::vector<FoundChanges>> ask_about(const WorkPtr& work, const std::vector<std::size_t>& requests) {
  std::vector<SearchedRow> rows;
  for (const std::size_t i : requests)
    rows.push_back({.values = work->row(work->requests[i]).values, .wanted = work->requests[i].wanted});
  return search_changes(work->input, std::make_shared<const std::vector<FeatureMoves>>(work->features),
                        std::make_shared<const LabelledRows>(work->data), work->classes, std::move(rows),
                        {.most_features = static_cast<std::size_t>(work->options.max_changes),
                         .count = static_cast<std::size_t>(work->options.count)});
}

bool found_nothing_within_limit(const FoundChanges& found) {
  return found.status == RecourseStatus::not_found &&
         std::any_of(found.ladder.begin(), found.ladder.end(),
                     [](const LadderRung& rung) { return rung.status == RungStatus::not_found; });
}

// Changes that were found by asking, beside what was proven before: bounds stay.
void take_over(const FoundChanges& asked, FoundChanges& proven) {
  proven.explored += asked.explored;
  if (asked.changes.empty()) return;
  proven.changes = asked.changes;
  proven.status = RecourseStatus::found;
  const std::size_t size = asked.changes.front().features.size();
  std::erase_if(proven.ladder, [&](const LadderRung& rung) { return rung.features > size; });
  while (proven.ladder.size() < size) proven.ladder.push_back({.features = proven.ladder.size() + 1});
  proven.ladder.back().status = RungStatus::reached;
}

Chain<Result> search(std::shared_ptr<Work> work) {
  for (std::size_t i = 0; i < work->data.named.size(); ++i) {
    const LabelledRow& row = work->data.named[i];
    for (const WantedOutcome& wanted : wanted_of(*work, row))
      work->requests.push_back({.row = i, .wanted = wanted, .already = wanted.holds(work->classes, row.predictions)});
  }
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < work->requests.size(); ++i) {
    if (!work->requests[i].already) open.push_back(i);
  }
  work->features = feature_moves(work->input, work->data, work->values,
                                 {.fixed = work->options.fixed,
                                  .only_rise = work->options.only_rise,
                                  .only_fall = work->options.only_fall,
                                  .anywhere = work->options.within == "anywhere"});
  const WorkPtr ready = work;
  const auto searches = TreeSearches::of(*ready, open);
  if (!searches) {
    return ask_about(ready, open).then([ready](const std::vector<FoundChanges>& found) { return tell(ready, found); });
  }
  std::vector<FoundChanges> found = searches->find(*ready, open);
  // Where the limit came before anything was found, asking may still find something.
  std::vector<std::size_t> places, left;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!found_nothing_within_limit(found[i])) continue;
    places.push_back(i);
    left.push_back(open[i]);
  }
  if (left.empty()) return tell(ready, found);
  return ask_about(ready, left).then([ready, found, places](const std::vector<FoundChanges>& asked) {
    std::vector<FoundChanges> all = found;
    for (std::size_t i = 0; i < places.size(); ++i) take_over(asked[i], all[places[i]]);
    return tell(ready, all);
  });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  auto work = std::make_shared<Work>(
      Work{.input = input, .options = read_options<CounterfactualsOptions>(given), .classes = PredictedClass(input)});
  check(*work);
  if (input.other != nullptr) work->second.emplace(input, *input.other);
  return rows_to_explain(input, work->options.rows, work->options.explain).then([work](ExplainedRows rows) {
    auto with = std::make_shared<Work>(*work);
    with->explained = std::move(rows);
    return data_values(with->input).then([with](std::vector<FeatureValues> values) -> Chain<Result> {
      auto known = std::make_shared<Work>(*with);
      known->values = std::move(values);
      return label_rows(known->input, static_cast<std::uint64_t>(known->options.compare_rows), known->explained.ids)
          .then([known](LabelledRows data) {
            auto ready = std::make_shared<Work>(*known);
            ready->data = std::move(data);
            return search(ready);
          });
    });
  });
}

}  // namespace

MethodEntry counterfactuals() {
  MethodEntry entry;
  entry.name = "counterfactuals";
  entry.alias = "recourse";
  entry.about = {.title = "Counterfactuals", .short_name = "", .family = Family::local};
  entry.question = "What is the smallest change of a row with which the model says something else?";
  entry.when = "somebody asks what would have had to be different, or how near a decision was";
  entry.when_not =
      "as advice what to do in the world: the model would answer otherwise, which is not what a change would cause";
  entry.formula = "min (features changed, Σ |x' − x| / MAD + levels changed) subject to f(x') as wanted";
  entry.paper = "Wachter, Mittelstadt & Russell 2017, Counterfactual explanations without opening the black box";
  entry.scopes = {Scope::local, Scope::modular};
  entry.results = {"counterfactuals", "importance"};
  entry.expresses = "changed values per row, with what they cost and whether anything smaller can";
  entry.cost =
      "trees: two predictions per row and a search of milliseconds to a second; others: some thousands of "
      "predictions per row";
  entry.access = Access::stream;
  entry.change = RowChange::intervene;
  entry.random = true;
  entry.as_predicted = true;
  entry.options = describe_options<CounterfactualsOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
