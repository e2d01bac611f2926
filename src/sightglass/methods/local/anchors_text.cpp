#include "sightglass/methods/local/anchors_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/local/anchoring/beam_search.h"
#include "sightglass/methods/local/anchoring/outcome.h"
#include "sightglass/methods/local/anchoring/share_bounds.h"
#include "sightglass/methods/local/pieces/text_columns.h"
#include "sightglass/methods/local/pieces/text_words.h"
#include "sightglass/methods/local/pieces/text_writer.h"
#include "sightglass/methods/rows/explained_rows.h"
#include "sightglass/methods/run/made_texts.h"
#include "sightglass/result/shapes/marked_text.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

namespace {

constexpr std::uint64_t pool_stream = 0x616e'7465'706f, arm_stream = 0x616e'7465'6172,
                        check_stream = 0x616e'7465'6368;  // "antepo", "antear", "antech"
constexpr std::size_t checked_texts = 2000;
constexpr double most_bits = 1 << 25;  // words × samples of one search

struct Work {
  MethodInput input;
  AnchorsTextOptions options;
  AnchorTerms terms;
  TextPlace place;
  RowWords words{false, 0};
  ExplainedRows explained;
  LabelledRows rows;
  std::vector<AnchorOutcome> outcomes;
  Result result;
  std::vector<std::string> failed;  // what was found instead of a rule
  std::optional<RuleCount> first_failed;

  [[nodiscard]] std::size_t tasks() const { return rows.named.size() * outcomes.size(); }
  [[nodiscard]] const std::string& column_name() const { return input.schema[place.column].name; }
  [[nodiscard]] const std::string& text(double code) const {
    return input.schema[place.column].dictionary->level(static_cast<std::int32_t>(code));
  }
};
using WorkPtr = std::shared_ptr<Work>;

// Which words are there, text by text.
struct WordBits {
  std::size_t words_per_text = 0;
  std::vector<std::uint64_t> bits;

  [[nodiscard]] const std::uint64_t* text(std::size_t i) const { return bits.data() + i * words_per_text; }
};

// One text and one outcome while its rule is searched and checked.
struct Search {
  std::size_t row = 0, outcome = 0;
  TextWords words;
  std::optional<TextWriter> writer;
  std::vector<FeatureCells> cells;  // a word is there or not
  std::unique_ptr<CelledRows> pool;
  std::unique_ptr<RowConditions> conditions;
  std::unique_ptr<AnchorSets> sets;
  std::unique_ptr<BeamSearch> beam;
  FoundAnchors found;
  std::vector<AnchorRule> candidates;
  std::vector<RuleCount> checks;  // of the first candidates
};
using SearchPtr = std::shared_ptr<Search>;

// Each word that is not held is there with probability one half.
void draw_texts(const Search& search, const CellRule& held, std::uint64_t seed, std::uint64_t stream,
                std::uint64_t first, std::size_t count, WordBits& texts) {
  const std::size_t size = (search.words.words + 63) / 64;
  texts.words_per_text = size;
  std::vector<std::uint64_t> always(size);
  for (const CellCondition& part : held) always[part.feature / 64] |= std::uint64_t{1} << (part.feature % 64);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t word = 0; word < size; ++word)
      texts.bits.push_back(random_bits(seed, stream, (first + i) * size + word) | always[word]);
  }
}

std::uint64_t stream_of(const Work& work, std::uint64_t kind, const Search& search, std::uint64_t number) {
  const std::uint64_t row = random_bits(work.input.seed, kind, work.rows.named[search.row].id);
  return random_bits(row, kind + search.outcome, number);
}

Chain<Matrix> ask_about(const WorkPtr& work, const SearchPtr& search, WordBits drawn) {
  const LabelledRow& row = work->rows.named[search->row];
  const auto texts = std::make_shared<const WordBits>(std::move(drawn));
  // Which of the different ones each is: those with the same words are asked about once.
  const std::size_t size = texts->words_per_text, spare = 64 * size - search->words.words;
  auto different = std::make_shared<std::vector<std::size_t>>();
  auto which = std::make_shared<std::vector<std::size_t>>();
  std::map<std::vector<std::uint64_t>, std::size_t> known;
  for (std::size_t i = 0; i < texts->bits.size() / size; ++i) {
    std::vector<std::uint64_t> bits(texts->text(i), texts->text(i) + size);
    if (spare > 0) bits.back() &= ~std::uint64_t{0} >> spare;
    const auto [at, added] = known.try_emplace(std::move(bits), different->size());
    if (added) different->push_back(i);
    which->push_back(at->second);
  }
  return ask(MadeTexts{.place = made_place(work->input, work->place, row),
                       .rows = different->size(),
                       .longest = search->writer->longest(),
                       .write = [search, texts, different](
                                    std::size_t i,
                                    TextBatch& made) { search->writer->write(texts->text((*different)[i]), made); }})
      .then([which](const Matrix& answers) {
        Matrix all(which->size(), answers.columns());
        for (std::size_t i = 0; i < which->size(); ++i) {
          for (std::size_t k = 0; k < answers.columns(); ++k) all.span()(i, k) = answers((*which)[i], k);
        }
        return all;
      });
}

bool same(const Work& work, const Search& search, std::span<const double> answer) {
  return work.outcomes[search.outcome].same(answer, work.rows.named[search.row].predictions);
}

// Sets of samples for each word; a rule covers the samples that have its words.
void set_up(const Work& work, Search& search, const WordBits& texts, const Matrix& answers) {
  const std::size_t words = search.words.words, rows = answers.rows();
  std::vector<std::vector<double>> values(words, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t word = 0; word < words; ++word)
      values[word][i] = static_cast<double>((texts.text(i)[word / 64] >> (word % 64)) & 1);
  }
  const ColumnInfo there_or_not{.name = "", .type = DType::boolean};
  search.cells.assign(words, FeatureCells(there_or_not, {}, {}, 2, std::nullopt));
  search.pool = std::make_unique<CelledRows>(work.input, search.cells, values);
  search.conditions =
      std::make_unique<RowConditions>(search.cells, std::vector<double>(words, 1), *search.pool, *search.pool);
  std::vector<RowWord> good(search.pool->words());
  for (std::size_t i = 0; i < rows; ++i) {
    if (same(work, search, answers.span().row(i))) good[i / rows_per_word] |= RowWord{1} << (i % rows_per_word);
  }
  const std::vector<RowWord> every = search.pool->bits({});
  search.sets = std::make_unique<AnchorSets>(AnchorSets{.conditions = *search.conditions,
                                                        .every = every,
                                                        .same = good,
                                                        .every_perturbed = every,
                                                        .same_perturbed = good,
                                                        .weights = {}});
  search.beam = std::make_unique<BeamSearch>(*search.sets, work.terms);
}

std::string word_text(const Search& search, const CellCondition& part) { return search.words.name(part.feature); }

std::string rule_text(const Search& search, const CellRule& rule) {
  if (rule.empty()) return "no word at all";
  std::string text;
  for (const CellCondition& part : rule)
    text += (text.empty() ? "" : " and ") + ("\"" + printable(word_text(search, part), 40) + "\"");
  return text;
}

// Texts of the data that have all words of a rule, and of how many of these the model says the same.
RuleCount count_data(const Work& work, const Search& search, const CellRule& rule, bool all) {
  RuleCount count;
  for (std::size_t i = 0; i < work.rows.of_data; ++i) {
    const double code = work.rows.values[work.place.feature][i];
    if (std::isnan(code)) continue;
    bool has_all = true;
    if (!all) {
      const std::string& text = work.text(code);
      std::vector<TextPiece> places;
      for (const CellCondition& part : rule) {
        const std::string word = word_text(search, part);
        has_all = text.find(word) != std::string::npos;
        if (!has_all) break;
        if (places.empty()) places = words_of(text);
        has_all =
            std::any_of(places.begin(), places.end(), [&](const TextPiece& place) { return place.of(text) == word; });
        if (!has_all) break;
      }
    }
    if (!has_all) continue;
    count.covered += 1;
    if (same(work, search, work.rows.answer(i))) count.good += 1;
  }
  return count;
}

// How much more often the outcome stays with a word than without it, the other words of the rule held.
double drop_without(const Search& search, const CellRule& rule, const CellCondition& part) {
  CellRule others = rule;
  std::erase(others, part);
  CellRule without = others;
  without.push_back({.feature = part.feature, .first = 0, .last = 0});
  std::sort(without.begin(), without.end());
  const auto precision = [&](const CellRule& of) {
    const std::vector<RowWord> bits = search.pool->bits(of);
    return search.sets->count_perturbed(bits.data(), bits.data(), nullptr).precision();
  };
  return precision(rule) - precision(without);
}

Rules rule_item(const Work& work, const Search& search, const AnchorRule& found, const RuleCount& check, bool holds) {
  const LabelledRow& row = work.rows.named[search.row];
  const AnchorOutcome& outcome = work.outcomes[search.outcome];
  Rules item;
  item.name = "Anchor of row " + std::to_string(row.id);
  item.output = outcome_output(work.input, outcome, row.predictions);
  item.effects_add = false;
  item.row = row.id;
  item.perturbation = RulePerturbation::words;
  Rule rule;
  for (const CellCondition& part : found.conditions) {
    ShownCondition condition;
    condition.feature = work.column_name();
    condition.categorical = true;
    condition.levels = {"… " + word_text(search, part) + " …"};
    rule.conditions.push_back(std::move(condition));
  }
  rule.predicted_class = outcome_class(work.input, outcome, row.predictions);
  if (outcome.kind == AnchorOutcomeKind::number) {
    rule.effect = row.predictions[outcome.output];
    rule.tolerance = outcome.tolerance;
  }
  const RuleCount all = count_data(work, search, {}, true), met = count_data(work, search, found.conditions, false);
  rule.support = all.covered > 0 ? met.covered / all.covered : 0;
  if (met.covered > 0) {
    const double level = std::log(2 / work.terms.delta);
    rule.precision = met.precision();
    rule.low = lower_share(met.good, met.covered, level);
    rule.high = upper_share(met.good, met.covered, level);
  }
  const CheckedShare share = checked_share({.count = check}, search.checks.size(), work.terms);
  rule.perturbed_precision = share.precision;
  rule.perturbed_low = share.low;
  rule.perturbed_high = share.high;
  rule.perturbed_estimator = ShareEstimator::sampled;
  rule.base_rate = all.covered > 0 ? all.good / all.covered : 0;
  item.rules.push_back(std::move(rule));
  Value words = Value::array();
  for (const CellCondition& part : found.conditions) words.push_back(word_text(search, part));
  item.details = Value::object({{"column", work.column_name()},
                                {"words", std::move(words)},
                                {"holds", holds},
                                {"wanted_precision", work.terms.precision},
                                {"confidence", 1 - work.terms.delta},
                                {"rows", all.covered},
                                {"covered_rows", met.covered},
                                {"perturbed_rows", check.covered},
                                {"explored", search.found.explored}});
  return item;
}

MarkedText marked_item(const Work& work, const Search& search, const CellRule& rule) {
  const LabelledRow& row = work.rows.named[search.row];
  const AnchorOutcome& outcome = work.outcomes[search.outcome];
  const bool of_class = outcome.kind == AnchorOutcomeKind::top_class;
  MarkedText item{.output = outcome_output(work.input, outcome, row.predictions),
                  .row = row.id,
                  .text = search.words.text,
                  .prediction = row.predictions[of_class ? top_class(row.predictions) : outcome.output]};
  for (std::size_t i = 0; i < search.words.places.size(); ++i) {
    const auto part = std::find_if(rule.begin(), rule.end(),
                                   [&](const CellCondition& each) { return each.feature == search.words.word[i]; });
    if (part == rule.end()) continue;
    item.pieces.push_back({.start = search.words.places[i].first,
                           .end = search.words.places[i].last,
                           .value = drop_without(search, rule, *part),
                           .together = part->feature});
  }
  item.details.set("column", work.column_name()).set("values", "how much more often the outcome stays with the word");
  return item;
}

Chain<Result> next_search(const WorkPtr& work, std::size_t task);

void settle_search(Work& work, const Search& search, bool holds) {
  const AnchorRule& rule = search.candidates[search.checks.size() - 1];
  const RuleCount& check = search.checks.back();
  work.result.results.emplace_back(rule_item(work, search, rule, check, holds));
  work.result.results.emplace_back(marked_item(work, search, rule.conditions));
  if (holds) return;
  work.failed.push_back(row_text(work.rows.named[search.row].id) + ": best found is " +
                        rule_text(search, rule.conditions) + ", right for " + percent_text(check.precision()) +
                        " of texts with words left out");
  if (!work.first_failed) work.first_failed = check;
}

// Candidates one after the other, each on texts that were drawn for it alone.
Chain<Result> check_rule(const WorkPtr& work, const SearchPtr& search, std::size_t task) {
  const AnchorRule& rule = search->candidates[search->checks.size()];
  WordBits texts;
  draw_texts(*search, rule.conditions, work->input.seed, stream_of(*work, check_stream, *search, search->checks.size()),
             0, checked_texts, texts);
  return ask_about(work, search, std::move(texts)).then([work, search, task](const Matrix& answers) -> Chain<Result> {
    RuleCount count{.covered = checked_texts};
    for (std::size_t i = 0; i < answers.rows(); ++i) count.good += same(*work, *search, answers.span().row(i)) ? 1 : 0;
    search->checks.push_back(count);
    const bool holds = !search->found.rules.empty() &&
                       checked_share({.count = count}, search->checks.size(), work->terms).suffices(work->terms);
    if (!holds && search->checks.size() < search->candidates.size()) return check_rule(work, search, task);
    settle_search(*work, *search, holds);
    return next_search(work, task + 1);
  });
}

// Goes on until the search knows its rules; what it wants is asked for together.
Chain<Result> sample_rules(const WorkPtr& work, const SearchPtr& search, std::size_t task) {
  const auto wants = std::make_shared<const std::vector<BeamSearch::Want>>(search->beam->advance());
  if (wants->empty()) {
    search->found = std::move(*search->beam).found();
    search->candidates = search->found.rules;
    if (search->candidates.empty() && search->found.nearest) search->candidates.push_back(*search->found.nearest);
    if (search->candidates.empty()) search->candidates.push_back({.conditions = {}, .rows = {}, .perturbed = {}});
    return check_rule(work, search, task);
  }
  WordBits texts;
  for (const BeamSearch::Want& want : *wants) {
    std::uint64_t named = 0;  // a stream for each rule
    for (const CellCondition& part : want.rule) named = random_bits(named, part.feature, 1);
    draw_texts(*search, want.rule, work->input.seed, stream_of(*work, arm_stream, *search, named), want.first,
               want.count, texts);
  }
  return ask_about(work, search, std::move(texts)).then([work, search, task, wants](const Matrix& answers) {
    std::size_t at = 0;
    for (const BeamSearch::Want& want : *wants) {
      std::size_t good = 0;
      for (std::size_t i = 0; i < want.count; ++i) good += same(*work, *search, answers.span().row(at++)) ? 1 : 0;
      search->beam->answer(want, good);
    }
    return sample_rules(work, search, task);
  });
}

Result finish(const Work& work) {
  Result result = work.result;
  work.words.add_caveats(work.input, work.place, result);
  if (!work.failed.empty()) {
    std::string message =
        "no rule reaches a precision of " + number_text(work.terms.precision) + " for " + work.failed[0];
    if (work.failed.size() > 1) message += "; nor for " + std::to_string(work.failed.size() - 1) + " more";
    result.caveats.push_back(
        {.id = "no-anchor",
         .severity = Severity::caution,
         .message = message,
         .evidence =
             Value::object({{"rules", work.failed.size()}, {"perturbed_precision", work.first_failed->precision()}}),
         .advice = marked("the model weighs many words against each other: look at what each adds by "
                          "{method:lime-text}, lower {option:precision} or raise {option:max_words}")});
  }
  add_some_rows_caveat(work.explained, result.caveats);
  return result;
}

// The search of one outcome of one text, with the words of it.
std::shared_ptr<Search> search_of(Work& work, std::size_t task) {
  auto search = std::make_shared<Search>();
  search->row = task / work.outcomes.size();
  search->outcome = task % work.outcomes.size();
  search->words = work.words.of(work.input, work.place, work.rows.named[search->row]);
  search->writer.emplace(search->words, work.options.mask);
  return search;
}

Chain<Result> next_search(const WorkPtr& work, std::size_t task) {
  std::shared_ptr<Search> search;
  for (; task < work->tasks(); ++task) {
    work->input.context->check();
    search = search_of(*work, task);
    if (search->words.words > 0) break;
  }
  if (task == work->tasks()) return finish(*work);
  if (static_cast<double>(search->words.words) * static_cast<double>(work->options.samples) > most_bits)
    throw Error(ErrorKind::usage,
                std::to_string(work->options.samples) + " samples of " + std::to_string(search->words.words) +
                    " words do not fit into memory",
                marked("lower {option:samples}"));
  const auto texts = std::make_shared<WordBits>();
  draw_texts(*search, {}, work->input.seed, stream_of(*work, pool_stream, *search, 0), 0,
             static_cast<std::size_t>(work->options.samples), *texts);
  return ask_about(work, search, *texts).then([work, search, task, texts](const Matrix& answers) {
    set_up(*work, *search, *texts, answers);
    return sample_rules(work, search, task);
  });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<AnchorsTextOptions>(given);
  const TextPlace place = text_place(input, options.text_column, "text_column");
  const AnchorTerms terms{.precision = options.precision,
                          .delta = options.delta,
                          .epsilon = options.epsilon,
                          .most_conditions = static_cast<std::size_t>(options.max_words),
                          .beam = static_cast<std::size_t>(options.beam)};
  return rows_to_explain(input, options.rows, options.explain).then([=](ExplainedRows explained) {
    const RowIds ids = explained.ids;
    return label_rows(input, static_cast<std::uint64_t>(options.use_rows), ids)
        .then([=, explained = std::move(explained)](LabelledRows rows) {
          auto work = std::make_shared<Work>();
          work->input = input;
          work->options = options;
          work->terms = terms;
          work->place = place;
          work->words = RowWords(false, static_cast<std::size_t>(options.most_words));
          work->explained = explained;
          work->rows = std::move(rows);
          work->outcomes = outcomes_of(input, work->rows, options.outcome, options.tolerance);
          return next_search(work, 0);
        });
  });
}

}  // namespace

MethodEntry anchors_text() {
  MethodEntry entry;
  entry.name = "anchors-text";
  entry.about = {
      .title = "Anchors for texts: words that settle a prediction", .short_name = "Anchors", .family = Family::local};
  entry.question = "Which few words of this text settle what the model says, whatever other words are left out?";
  entry.when = "the model reads texts, and a prediction is to be explained by words that people can check";
  entry.when_not = "many words are weighed against each other: rules are then long, or none reaches the precision";
  entry.formula = "max coverage(A) over sets of words A of x with P(f(z) = f(x) | A ⊂ z) ≥ τ";
  entry.paper = "Ribeiro, Singh & Guestrin 2018, Anchors: high-precision model-agnostic explanations";
  entry.scopes = {Scope::local};
  entry.results = {"rules", "marked_text"};
  entry.expresses = "a rule of words per text: how often it is right over texts with other words left out";
  entry.cost = "samples per text, 2,000 for each rule that is checked, and what the search wants besides";
  entry.needs.texts = true;
  entry.random = true;
  entry.options = describe_options<AnchorsTextOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
