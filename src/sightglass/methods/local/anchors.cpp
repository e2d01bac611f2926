#include "sightglass/methods/local/anchors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/methods/local/anchoring/anchor_result.h"
#include "sightglass/methods/local/anchoring/beam_search.h"
#include "sightglass/methods/rows/explained_rows.h"
#include "sightglass/methods/rows/nearest_rows.h"

namespace sightglass {

namespace {

constexpr std::uint64_t pool_stream = 0x616e'6368'706f, arm_stream = 0x616e'6368'6172,
                        check_stream = 0x616e'6368'6368;  // "anchpo", "anchar", "anchch"
constexpr std::uint64_t rows_enough = 200;                // to search over them
// Numbers of the data's rows, and of perturbed ones, that are kept at once.
constexpr std::uint64_t numbers_of_rows = std::uint64_t{1} << 25, numbers_of_perturbed = std::uint64_t{1} << 23;
constexpr std::size_t checked_rows = 2000;  // perturbed rows on which a rule that was found has to prove itself
constexpr std::size_t most_searches = 64;   // that wait for the model at once
constexpr std::size_t words_of_searches = std::size_t{1} << 25;       // that these keep
constexpr std::uint64_t bits_of_conditions = std::uint64_t{1} << 32;  // of the data's rows, of one search
constexpr std::size_t most_settled = 100'000;                         // rows times outcomes
constexpr std::size_t most_strangers = 20'000;                        // rows that those explained are held against

// That a row can have, of all features.
std::size_t most_conditions(const MethodInput& input, const AnchorsOptions& options) {
  const auto half = static_cast<std::size_t>(options.bins) / 2 + 1;
  return input.features.size() * half * half;
}

struct Work {
  MethodInput input;
  AnchorsOptions options;
  AnchorTerms terms;
  ExplainedRows explained;
  LabelledRows rows;
  std::vector<AnchorOutcome> outcomes;
  std::vector<FeatureCells> features;
  std::vector<double> weights;  // as rows are counted; empty: each is one
  bool over_rows = true;
  std::unique_ptr<const CelledRows> celled, perturbed;
  std::unique_ptr<const PerturbedRows> maker;
  Matrix answers;  // to perturbed rows

  [[nodiscard]] std::size_t tasks() const { return rows.named.size() * outcomes.size(); }
  // Those over rows are done one after the other, and wait only for checks; the others keep a set for every rule that
  // is compared, and for every condition.
  [[nodiscard]] std::size_t searches_at_once() const {
    if (over_rows) return most_searches;
    const std::size_t conditions = most_conditions(input, options);
    const std::size_t words = conditions * ((terms.beam + 1) * perturbed->words() + celled->words());
    return std::clamp<std::size_t>(words_of_searches / words, 1, most_searches);
  }
  // Perturbed rows that are all asked: of most models no more than would be drawn, of tree ensembles, which answer
  // fast, more.
  [[nodiscard]] std::size_t most_listed() const {
    const std::size_t room = input.trees != nullptr ? numbers_of_perturbed / input.features.size() : checked_rows;
    return std::min(static_cast<std::size_t>(options.exact_rows), room);
  }
  [[nodiscard]] std::size_t checks_at_once() const {
    return std::max<std::size_t>(
        1, numbers_of_perturbed / (std::max(most_listed(), checked_rows) * input.features.size()));
  }
};
using WorkPtr = std::shared_ptr<Work>;

// One row and one outcome while its rule is searched and checked.
struct Search {
  std::size_t row = 0, outcome = 0;
  std::unique_ptr<RowConditions> conditions;
  std::unique_ptr<AnchorSets> sets;
  std::unique_ptr<BeamSearch> beam;
  double base = 0, all = 0;
  FoundAnchors found;
  std::vector<AnchorRule> candidates;
  std::vector<double> levels;     // of bounds on their precision over rows
  std::vector<RuleCheck> checks;  // of the first candidates
  bool holds = false;             // the last of these
  std::optional<std::size_t> settled;
};
struct Wanted {
  std::size_t search = 0;
  BeamSearch::Want want;
};
struct Progressing {
  std::vector<Search> searches;  // some of the tasks
  std::vector<Wanted> wanted;    // by these
  std::size_t next = 0;          // task after them
  std::vector<SettledAnchor> done;
};
using ProgressPtr = std::shared_ptr<Progressing>;

std::span<const double> answer(const Matrix& answers, std::size_t row) { return answers.span().row(row); }

// Weights so that their sum is what the rows are worth: (Σw)² / Σw².
std::vector<double> effective_weights(const MethodInput& input, const LabelledRows& rows) {
  if (!input.weighted) return {};
  double sum = 0, squares = 0;
  for (const double weight : rows.weights) {
    sum += weight;
    squares += weight * weight;
  }
  std::vector<double> weights = rows.weights;
  for (double& weight : weights) weight *= squares > 0 ? sum / squares : 0;
  return weights;
}

void set_up(const WorkPtr& work, Search& search) {
  const LabelledRow& row = work->rows.named[search.row];
  const AnchorOutcome& outcome = work->outcomes[search.outcome];
  search.conditions = std::make_unique<RowConditions>(work->features, row.values, *work->celled, *work->perturbed);
  search.sets =
      std::make_unique<AnchorSets>(AnchorSets{.conditions = *search.conditions,
                                              .every = work->celled->bits({}),
                                              .same = std::vector<RowWord>(work->celled->words()),
                                              .every_perturbed = work->perturbed->bits({}),
                                              .same_perturbed = std::vector<RowWord>(work->perturbed->words()),
                                              .weights = work->weights});
  const auto mark_same = [&](std::size_t rows, const auto& predictions, std::vector<RowWord>& bits) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (outcome.same(predictions(i), row.predictions)) bits[i / rows_per_word] |= RowWord{1} << (i % rows_per_word);
    }
  };
  mark_same(work->celled->rows(), [&](std::size_t i) { return work->rows.answer(i); }, search.sets->same);
  mark_same(
      work->perturbed->rows(), [&](std::size_t i) { return answer(work->answers, i); }, search.sets->same_perturbed);
  std::vector<RowWord> both(work->celled->words());
  const RuleCount all = search.sets->count(search.sets->every.data(), search.sets->every.data(), both.data());
  search.base = all.good;
  search.all = all.covered;
}

void take_candidates(const Work& work, Search& search) {
  search.candidates = search.found.rules;
  if (search.candidates.empty() && search.found.nearest) search.candidates.push_back(*search.found.nearest);
  if (search.candidates.empty())
    search.candidates.push_back({.conditions = {}, .rows = {search.all, search.base}, .perturbed = {}});
  for (const AnchorRule& rule : search.candidates) {
    // What perturbed rows chose is not partial to the data's.
    search.levels.push_back(work.over_rows ? search_level(*search.conditions, rule.conditions.size(), work.terms)
                                           : std::log(1 / work.terms.delta));
  }
  search.beam.reset();
  search.sets.reset();
  search.conditions.reset();
}

// Rows that are to be asked about together, and who wants them.
struct Batch {
  std::vector<std::vector<double>> values;  // [feature][row]

  void add(std::vector<std::vector<double>> rows) {
    if (values.empty()) values.resize(rows.size());
    for (std::size_t j = 0; j < rows.size(); ++j) values[j].insert(values[j].end(), rows[j].begin(), rows[j].end());
  }
  [[nodiscard]] std::size_t rows() const { return values.empty() ? 0 : values[0].size(); }
};

std::uint64_t stream_of(const Work& work, std::uint64_t kind, const Search& search, std::uint64_t number) {
  const std::uint64_t row = random_bits(work.input.seed, kind, work.rows.named[search.row].id);
  return random_bits(row, kind + search.outcome, number);
}

Chain<Result> next_searches(const WorkPtr& work, const ProgressPtr& progress);

// The first candidate of each search that was not checked yet, on all perturbed rows if these are few, else on some
// that were drawn for it alone.
Chain<Result> check_rules(const WorkPtr& work, const ProgressPtr& progress) {
  std::vector<Search*> checked;
  for (Search& search : progress->searches) {
    if (!search.settled && checked.size() < work->checks_at_once()) checked.push_back(&search);
  }
  if (checked.empty()) return next_searches(work, progress);
  std::vector<PerturbedRows::All> rows(checked.size());  // chances: none if they were drawn
  work->input.for_each("anchors", checked.size(), [&](std::size_t i) {
    const Search& search = *checked[i];
    const CellRule& rule = search.candidates[search.checks.size()].conditions;
    if (auto all = work->maker->all(rule)) {
      rows[i] = std::move(*all);
      return;
    }
    rows[i].values =
        work->maker->draw(rule, stream_of(*work, check_stream, search, search.checks.size()), 0, checked_rows);
  });
  Batch batch;
  std::vector<std::vector<double>> chances;
  for (auto& each : rows) {
    batch.add(std::move(each.values));
    chances.push_back(std::move(each.chances));
  }
  return ask(MadeRows(work->input.schema, work->input.features, batch.values))
      .then([work, progress, checked, chances](const Matrix& answers) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < checked.size(); ++i) {
          Search& search = *checked[i];
          const AnchorOutcome& outcome = work->outcomes[search.outcome];
          const auto& own = work->rows.named[search.row].predictions;
          const bool all = !chances[i].empty();
          const std::size_t count = all ? chances[i].size() : checked_rows;
          double right = 0, sum = 0;
          for (std::size_t row = 0; row < count; ++row) {
            const double chance = all ? chances[i][row] : 1;
            sum += chance;
            if (outcome.same(answer(answers, at++), own)) right += chance;
          }
          const auto asked = static_cast<double>(count);
          search.checks.push_back(
              {.count = {.covered = asked, .good = all ? right / sum * asked : right}, .exact = all});
          search.holds = !search.found.rules.empty() &&
                         checked_share(search.checks.back(), search.checks.size(), work->terms).suffices(work->terms);
          if (search.holds || search.checks.size() == search.candidates.size())
            search.settled = search.checks.size() - 1;
          if (search.holds || !search.settled) continue;
          // None is precise enough: the one that is nearest to it.
          for (std::size_t k = 0; k < search.checks.size(); ++k) {
            if (search.checks[k].count.precision() > search.checks[*search.settled].count.precision())
              search.settled = k;
          }
        }
        return check_rules(work, progress);
      });
}

Chain<Result> sample_rules(const WorkPtr& work, const ProgressPtr& progress);

// What searches want, as much at once as there is room for.
Chain<Result> answer_wants(const WorkPtr& work, const ProgressPtr& progress, std::size_t first) {
  const auto& wanted = progress->wanted;
  if (first == wanted.size()) return sample_rules(work, progress);
  std::size_t end = first, rows = 0;
  while (end < wanted.size() &&
         (end == first || (rows + wanted[end].want.count) * work->input.features.size() <= numbers_of_perturbed))
    rows += wanted[end++].want.count;
  std::vector<std::vector<std::vector<double>>> drawn(end - first);
  work->input.for_each("anchors", drawn.size(), [&](std::size_t i) {
    const auto& [search, want] = wanted[first + i];
    std::uint64_t named = 0;  // a stream for each rule
    for (const CellCondition& part : want.rule)
      named = random_bits(named, part.feature, (std::uint64_t{part.first} << 32) + part.last);
    drawn[i] = work->maker->draw(want.rule, stream_of(*work, arm_stream, progress->searches[search], named), want.first,
                                 want.count);
  });
  Batch batch;
  for (auto& each : drawn) batch.add(std::move(each));
  return ask(MadeRows(work->input.schema, work->input.features, batch.values))
      .then([work, progress, first, end](const Matrix& answers) {
        std::size_t at = 0;
        for (std::size_t i = first; i < end; ++i) {
          const auto& [number, want] = progress->wanted[i];
          Search& search = progress->searches[number];
          std::size_t good = 0;
          for (std::size_t k = 0; k < want.count; ++k, ++at) {
            good += work->outcomes[search.outcome].same(answer(answers, at), work->rows.named[search.row].predictions);
          }
          search.beam->answer(want, good);
        }
        return answer_wants(work, progress, end);
      });
}

// Searches that sample go on until all know their rules.
Chain<Result> sample_rules(const WorkPtr& work, const ProgressPtr& progress) {
  std::vector<std::vector<BeamSearch::Want>> wants(progress->searches.size());
  work->input.for_each("anchors", wants.size(), [&](std::size_t i) {
    if (progress->searches[i].beam) wants[i] = progress->searches[i].beam->advance();
  });
  progress->wanted.clear();
  for (std::size_t i = 0; i < wants.size(); ++i) {
    Search& search = progress->searches[i];
    if (search.beam && wants[i].empty()) {
      search.found = std::move(*search.beam).found();
      take_candidates(*work, search);
    }
    for (auto& want : wants[i]) progress->wanted.push_back({.search = i, .want = std::move(want)});
  }
  return progress->wanted.empty() ? check_rules(work, progress) : answer_wants(work, progress, 0);
}

SettledAnchor settle(const WorkPtr& work, const Search& search) {
  const std::size_t at = *search.settled;
  SettledAnchor settled{.row = search.row, .outcome = search.outcome, .rule = search.candidates[at]};
  settled.check = search.checks[at];
  settled.attempts = search.checks.size();
  settled.holds = search.holds;
  settled.base = search.base;
  settled.rows = search.all;
  settled.over_rows = work->over_rows;
  settled.level = search.levels[at] + std::log(2.0);
  settled.explored = search.found.explored;
  settled.complete = search.found.complete;
  settled.bound = search.found.bound;
  return settled;
}

// Every so many-th row, so that looking for neighbours takes no longer than all the rest.
LabelledRows thinned(const LabelledRows& rows) {
  const std::size_t step = (rows.of_data + most_strangers - 1) / most_strangers;
  if (step <= 1) return rows;
  LabelledRows some;
  some.outputs = rows.outputs;
  some.values.resize(rows.values.size());
  for (std::size_t row = 0; row < rows.of_data; row += step) {
    some.ids.push_back(rows.ids[row]);
    some.weights.push_back(rows.weights[row]);
    for (std::size_t j = 0; j < rows.values.size(); ++j) some.values[j].push_back(rows.values[j][row]);
  }
  some.of_data = some.ids.size();
  return some;
}

Result finish(const WorkPtr& work, const Progressing& progress) {
  Result result;
  const std::unique_ptr<const CertainRules> certain =
      work->options.certain
          ? std::make_unique<CertainRules>(work->input, work->rows, static_cast<std::uint64_t>(work->options.boxes))
          : nullptr;
  std::vector<SettledAnchor> anchors = progress.done;
  if (certain) {
    work->input.for_each("certain rules", anchors.size(), [&](std::size_t i) {
      const AnchorOutcome& outcome = work->outcomes[anchors[i].outcome];
      if (certain->available(outcome)) anchors[i].certain = certain->find(work->rows.named[anchors[i].row], outcome);
    });
  }
  const AnchorResults results{.input = work->input,
                              .rows = work->rows,
                              .terms = work->terms,
                              .features = work->features,
                              .celled = *work->celled,
                              .outcomes = work->outcomes,
                              .certain = certain.get()};
  results.add_items(anchors, result);
  results.add_caveats(anchors, result);
  add_some_rows_caveat(work->explained, result.caveats);
  add_strange_rows(NearestRows(work->input, thinned(work->rows)), work->rows.named, result.caveats);
  return result;
}

// All tasks in their order, as many at once as there is room for.
Chain<Result> next_searches(const WorkPtr& work, const ProgressPtr& progress) {
  for (const Search& search : progress->searches) progress->done.push_back(settle(work, search));
  progress->searches.clear();
  const std::size_t first = progress->next;
  const std::size_t count = std::min(work->searches_at_once(), work->tasks() - first);
  if (count == 0) return finish(work, *progress);
  progress->next = first + count;
  progress->searches.resize(count);
  work->input.for_each("anchors", count, [&](std::size_t i) {
    Search& search = progress->searches[i];
    search.row = (first + i) / work->outcomes.size();
    search.outcome = (first + i) % work->outcomes.size();
    set_up(work, search);
    if (work->over_rows) {
      search.found = search_rows(*search.sets, work->terms, *work->input.context);
      take_candidates(*work, search);
    } else {
      search.beam = std::make_unique<BeamSearch>(*search.sets, work->terms);
    }
  });
  return work->over_rows ? check_rules(work, progress) : sample_rules(work, progress);
}

Chain<Result> explain(const WorkPtr& work) {
  const MethodInput& input = work->input;
  work->outcomes = outcomes_of(input, work->rows, work->options.outcome, work->options.tolerance);
  if (work->tasks() > most_settled)
    throw Error(ErrorKind::usage,
                std::to_string(work->tasks()) + " rules are too many at once: " + std::to_string(most_settled) +
                    " are the most",
                marked("name fewer {option:rows|rows}, or set {option:explain}"));
  work->weights = effective_weights(input, work->rows);
  work->over_rows =
      work->options.search == "rows" || (work->options.search == "auto" && work->rows.of_data >= rows_enough);
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    std::optional<std::vector<double>> splits;
    if (work->options.borders == "splits" && input.steps) splits = input.steps(input.features[j]);
    work->features.emplace_back(input.schema[input.features[j]], work->rows.values[j], work->rows.weights,
                                static_cast<std::size_t>(work->options.bins), splits);
  }
  work->celled = std::make_unique<CelledRows>(input, work->features, work->rows.values);
  work->maker = std::make_unique<PerturbedRows>(work->input, work->rows, *work->celled, work->most_listed());
  const std::uint64_t room = std::max<std::uint64_t>(1000, numbers_of_perturbed / input.features.size());
  const auto count = static_cast<std::size_t>(std::min(static_cast<std::uint64_t>(work->options.perturbed_rows), room));
  auto drawn = std::make_shared<std::vector<std::vector<double>>>(work->maker->draw({}, pool_stream, 0, count));
  return ask(MadeRows(input.schema, input.features, *drawn)).then([work, drawn](Matrix answers) {
    work->perturbed = std::make_unique<CelledRows>(work->input, work->features, *drawn);
    work->answers = std::move(answers);
    drawn->clear();
    return next_searches(work, std::make_shared<Progressing>());
  });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<AnchorsOptions>(given);
  if (input.features.empty()) throw Error(ErrorKind::data, "the model looks at no column that a rule could be about");
  const AnchorTerms terms{.precision = options.precision,
                          .delta = options.delta,
                          .epsilon = options.epsilon,
                          .most_conditions = static_cast<std::size_t>(options.max_conditions),
                          .fewest_rows = static_cast<double>(options.min_rows),
                          .beam = static_cast<std::size_t>(options.beam),
                          .most_rules = static_cast<std::uint64_t>(options.max_rules)};
  const std::uint64_t room = std::min(numbers_of_rows / (input.features.size() + input.outputs.size()),
                                      bits_of_conditions / most_conditions(input, options));
  const auto wanted = static_cast<std::uint64_t>(options.use_rows);
  const std::uint64_t limit = wanted == 0 ? room : std::min(wanted, room);
  return rows_to_explain(input, options.rows, options.explain).then([=](ExplainedRows explained) {
    const RowIds ids = explained.ids;
    return label_rows(input, limit, ids).then([=, explained = std::move(explained)](LabelledRows rows) {
      if (rows.of_data == 0) throw Error(ErrorKind::data, "no row has weight");
      auto work = std::make_shared<Work>();
      work->input = input;
      work->options = options;
      work->terms = terms;
      work->explained = explained;
      work->rows = std::move(rows);
      return explain(work);
    });
  });
}

}  // namespace

MethodEntry anchors() {
  MethodEntry entry;
  entry.name = "anchors";
  entry.alias = "anchor";
  entry.about = {.title = "Anchors: rules that settle a prediction", .short_name = "Anchors", .family = Family::local};
  entry.question = "Which few conditions of this row settle what the model says, whatever else the row is like?";
  entry.when = "a prediction is to be explained by a rule that people can check, and that says where it holds";
  entry.when_not =
      "the row lies near a border of the model: rules there are long, cover little and contradict one another";
  entry.formula = "max coverage(A) over rules A with A(x) and P(f(z) = f(x) | A(z)) ≥ τ";
  entry.paper = "Ribeiro, Singh & Guestrin 2018, Anchors: high-precision model-agnostic explanations";
  entry.scopes = {Scope::local};
  entry.results = {"rules"};
  entry.expresses =
      "a rule per row: how often it is right over rows of the data and over perturbed ones, how many rows it covers; "
      "of "
      "tree ensembles also the fewest features that settle the outcome for certain";
  entry.cost =
      "one prediction per row of the data, 65,536 perturbed rows for all rows that are explained together, 2,000 for "
      "each "
      "rule that is checked";
  entry.access = Access::columns;
  entry.random = true;
  entry.as_predicted = true;
  entry.options = describe_options<AnchorsOptions>();
  entry.leads = {{"text_column", "anchors-text"}};
  entry.start = start;
  return entry;
}

}  // namespace sightglass
