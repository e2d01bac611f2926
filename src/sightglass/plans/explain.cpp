#include "sightglass/plans/explain.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "sightglass/base/error.h"
#include "sightglass/base/picture.h"
#include "sightglass/base/version.h"
#include "sightglass/data/condition.h"
#include "sightglass/plans/compare.h"
#include "sightglass/plans/compare_models.h"
#include "sightglass/plans/explain_row.h"
#include "sightglass/plans/given_options.h"
#include "sightglass/plans/method_advice.h"
#include "sightglass/plans/new_rows.h"
#include "sightglass/plans/plan_session.h"
#include "sightglass/plans/ranking.h"
#include "sightglass/plans/scorecard.h"
#include "sightglass/plans/shown_class.h"
#include "sightglass/plans/train_data.h"
#include "sightglass/result/caveat_subject.h"

namespace sightglass {

namespace {

constexpr std::size_t most_groups = 12;
// Groups whose findings a message tells; the evidence has all.
constexpr std::size_t groups_in_words = 3;

bool same(const Caveat& a, const Caveat& b) { return a.id == b.id && a.message == b.message; }

void add_new(std::vector<Caveat>& caveats, const Caveat& caveat) {
  const auto is_same = [&](const Caveat& other) { return same(caveat, other); };
  if (std::none_of(caveats.begin(), caveats.end(), is_same)) caveats.push_back(caveat);
}

using ModelPtr = std::shared_ptr<const Model>;

Result run_method(const MethodEntry& entry, const Value& options, RunSessions& sessions,
                  const ModelPtr& other = nullptr) {
  const auto [told, own] = split_options(options, entry.options);
  const auto run_options = read_options<RunOptions>(told);
  return sessions.with(run_options, other).run(entry, own, run_options.scale);
}

// One method, or the methods of a plan. second: another model; null: none.
Result explain_rows(const MethodEntry& entry, const Value& options, RunSessions& sessions, const ModelPtr& second) {
  if (entry.plan == nullptr) return run_method(entry, options, sessions, second);
  const std::pair<Value, Value> split = split_options(options, entry.options);
  const Value& run_values = split.first;
  const Value& own_values = split.second;
  Value model_facts, data_facts, run_facts;
  std::vector<Caveat> caveats;
  std::vector<OptionSpec> at_hand = shared_options();
  at_hand.insert(at_hand.end(), entry.options.begin(), entry.options.end());
  SessionPlanInput input;
  const auto run_options = read_options<RunOptions>(run_values);
  input.session = &sessions.with(run_options);
  input.has_target = !run_options.target.empty();
  input.scale = run_options.scale.empty() ? "response" : run_options.scale;
  const auto with_own = [&](const Value& own) {
    Value all = run_values;
    if (!own.is_null()) {
      for (const auto& [name, value] : own.as_object()) all.set(name, value);
    }
    return all;
  };
  std::optional<RunSessions> of_other;
  if (second != nullptr) {
    of_other.emplace(sessions.about(*second));
    input.other_session = &of_other->with(run_options);
    input.run_other = [&](std::string_view method, const Value& own) {
      return run_method(find_method(method), with_own(own), *of_other);
    };
  }
  input.run = [&](std::string_view method, const Value& own) {
    const MethodEntry& entry_of_method = find_method(method);
    Result result = run_method(entry_of_method, with_own(own), sessions);
    if (model_facts.is_null()) {
      model_facts = result.model;
      data_facts = result.data;
      run_facts = Value::object();
      for (const auto& spec : describe_options<RunOptions>()) {
        if (const Value* value = result.options.find(spec.name)) run_facts.set(spec.name, *value);
      }
    }
    for (Caveat& caveat : result.caveats) {
      caveat.advice = advice_within(at_hand, caveat.advice, entry_of_method);
      // Several methods find the same thing about a feature, in their own words: the first one says it.
      const auto is_known = [&](const Caveat& other) {
        return about_the_same(caveat, other) || is_about_part_of(caveat, other);
      };
      if (std::none_of(caveats.begin(), caveats.end(), is_known)) caveats.push_back(caveat);
    }
    return result;
  };
  Result result = entry.plan(input, own_values);
  result.method = entry.name;
  result.about = entry.about;
  result.version = version();
  result.model = std::move(model_facts);
  result.data = std::move(data_facts);
  result.options = std::move(run_facts);
  for (const auto& spec : entry.options) {
    const Value* value = own_values.find(spec.name);
    result.options.set(spec.name, recorded(spec, value != nullptr ? *value : spec.default_value));
  }
  // The plan's own come first: it saw more.
  for (const Caveat& caveat : caveats) add_new(result.caveats, caveat);
  return result;
}

// Columns that the model is given, as far as its file says: else all but the target.
std::vector<const ColumnInfo*> given_columns(const Model& model, const Source& source, const Value& named) {
  const auto& features = model.signature().features;
  const Value* target = named.find("target");
  std::vector<const ColumnInfo*> given;
  for (const ColumnInfo& column : source.schema().columns()) {
    const bool is_target = target != nullptr && target->is_string() && target->as_string() == column.name;
    const bool known = features.empty() || std::any_of(features.begin(), features.end(), [&](const auto& feature) {
                         return feature.name == column.name;
                       });
    if (known && !is_target) given.push_back(&column);
  }
  return given;
}

bool has_pictures(const ColumnInfo& column) {
  const auto& dictionary = column.dictionary;
  return dictionary != nullptr && dictionary->size() > 0 && is_picture_text(dictionary->level(0));
}

// Of some levels: most are of three words or more.
bool has_texts(const ColumnInfo& column) {
  constexpr std::size_t looked_at = 200;
  const std::size_t levels = column.dictionary == nullptr ? 0 : std::min(looked_at, column.dictionary->size());
  std::size_t texts = 0;
  for (std::size_t i = 0; i < levels; ++i) {
    const std::string& level = column.dictionary->level(static_cast<std::int32_t>(i));
    texts += !is_picture_text(level) && std::count(level.begin(), level.end(), ' ') >= 2 ? 1 : 0;
  }
  return 2 * texts > levels;
}

// The method that is meant: null, the one that was asked for. Options of that other one are then left in `named`.
const MethodEntry* led_to(const MethodEntry& entry, const Model& model, const Source& source, const Value& named) {
  for (const Lead& lead : entry.leads) {
    if (named.find(lead.option) != nullptr) return &find_method(lead.method);
  }
  for (const Lead& lead : entry.leads) {
    const MethodEntry& other = find_method(lead.method);
    const auto given = given_columns(model, source, named);
    const auto pictures = [](const ColumnInfo* column) { return has_pictures(*column); };
    if (other.needs.pictures && std::any_of(given.begin(), given.end(), pictures)) return &other;
    // Beside other columns texts may be meant as names.
    if (other.needs.texts && given.size() == 1 && has_texts(*given[0])) return &other;
  }
  return nullptr;
}

void check_known(const MethodEntry& entry, const Value& named) {
  std::vector<OptionSpec> known = shared_options();
  for (OptionSpec& spec : all_options(entry)) known.push_back(std::move(spec));
  for (const auto& [name, value] : named.as_object()) {
    if (find_option(known, name) == nullptr)
      throw Error(ErrorKind::usage,
                  "what is asked for is " + entry.name + ", which does not have the " + option_text(name),
                  "leave it out");
  }
}

// Names of rows and dates as numbers; rows of other tables are found where these are read.
Value as_engine_takes(const Value& named, const std::vector<OptionSpec>& specs, const Source& source,
                      bool of_rows_at_hand) {
  Value options = with_dates_as_numbers(named, specs, source.schema());
  const OptionSpec* rows = find_option(specs, OptionType::rows);
  const Value* given = rows == nullptr ? nullptr : named.find(rows->name);
  if (given == nullptr || !of_rows_at_hand || named.find("rows_from") != nullptr ||
      named.find("background_data") != nullptr)
    return options;
  options.set(rows->name, row_numbers(*given, option_name(rows->name), source.table()));
  return options;
}

void put_into_group(ResultItem& item, const std::string& name) {
  item.set_group(item.group().empty() ? name : name + ", " + item.group());
}

// What is said once, behind the last of the groups: what the finding means, or all of it where the words are the same.
Text said_once(const std::vector<std::pair<std::string, const Caveat*>>& groups, bool same_words) {
  if (groups.size() < 2) return {};
  const Caveat& first = *groups[0].second;
  if (same_words) return first.message;
  const bool alike = std::all_of(groups.begin(), groups.end(),
                                 [&](const auto& group) { return group.second->meaning == first.meaning; });
  return alike ? first.meaning : Text();
}

// Of findings about the same features in several groups one caveat is made, in which each group has its own words and
// evidence; what is the same to the letter in all of them is said of all.
void merge_caveats(const std::vector<std::pair<std::string, std::vector<Caveat>>>& per_group, Result& into) {
  struct Said {
    Caveat caveat;
    std::vector<std::pair<std::string, const Caveat*>> groups;
    bool same_words = true;
  };
  std::vector<Said> all;
  for (const auto& [name, caveats] : per_group) {
    for (const Caveat& caveat : caveats) {
      // A group that finds two things says two.
      const auto known = std::find_if(all.begin(), all.end(), [&](const Said& said) {
        return said.groups.back().first != name && about_the_same(said.caveat, caveat);
      });
      if (known == all.end()) {
        all.push_back({caveat, {{name, &caveat}}});
        continue;
      }
      known->same_words = known->same_words && known->caveat.message == caveat.message;
      known->caveat.severity = std::max(known->caveat.severity, caveat.severity);
      known->groups.emplace_back(name, &caveat);
    }
  }
  for (Said& said : all) {
    const std::size_t groups = said.groups.size();
    if (said.same_words && groups == per_group.size()) {
      into.caveats.push_back(std::move(said.caveat));
      continue;
    }
    said.caveat.message = {};
    const Text ending = said_once(said.groups, said.same_words);
    Value evidence = Value::array();
    for (std::size_t i = 0; i < groups; ++i) {
      const auto& [name, own] = said.groups[i];
      if (i < groups_in_words || groups == groups_in_words + 1) {
        const Text own_words = own->message.without_end(ending);
        said.caveat.message += (i == 0 ? "" : "; ") + name;
        if (!own_words.empty()) said.caveat.message += ": " + own_words;
      } else if (i == groups_in_words) {
        said.caveat.message += "; and " + std::to_string(groups - i) + " other groups";
      }
      if (i + 1 == groups) said.caveat.message += (ending == own->message ? ": " : "") + ending;
      Value one = own->evidence.is_object() ? own->evidence : Value::object();
      evidence.push_back(one.set("group", name));
    }
    if (groups == 1) {
      said.caveat.evidence = evidence.as_array()[0];
    } else {
      if (!said.caveat.evidence.is_object()) said.caveat.evidence = Value::object();
      said.caveat.evidence.set("groups", evidence);
    }
    into.caveats.push_back(std::move(said.caveat));
  }
}

std::vector<std::uint64_t> rows_where(const Table& table, const std::string& condition) {
  if (!condition.empty()) return Condition(condition, table.schema()).rows(table);
  std::vector<std::uint64_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), table.first_row());
  return rows;
}

}  // namespace

std::vector<RowGroup> groups_to_explain(const Table& table, const RowKey& key, const std::string& where) {
  const std::vector<std::uint64_t> rows = rows_where(table, where);
  if (rows.empty()) {
    throw Error(ErrorKind::data, option_name("where") + ": no row fulfils " + printable(where), "loosen the condition");
  }
  return group_rows(table, key, rows, most_groups);
}

const std::vector<MethodEntry>& catalogue() {
  static const std::vector<MethodEntry> entries = [] {
    std::vector<MethodEntry> all = methods();
    all.push_back(compare());
    all.push_back(compare_models());
    all.push_back(ranking());
    all.push_back(explain_row());
    all.push_back(scorecard());
    return all;
  }();
  return entries;
}

std::vector<OptionSpec> shared_options() {
  std::vector<OptionSpec> specs = describe_options<RunOptions>();
  for (OptionSpec& spec : describe_options<ExplainOptions>()) specs.push_back(std::move(spec));
  return specs;
}

Result explain(std::string_view name, const Model& model, const Source& source, const Value& given, Context& context,
               RunSessions* sessions, const ModelOption& other, const OtherTables& tables) {
  const MethodEntry& entry = find_entry(catalogue(), name);
  require_model(entry, model);
  const auto own = describe_options<ExplainOptions>();
  std::vector<OptionSpec> known = shared_options();
  for (OptionSpec& spec : all_options(entry)) known.push_back(std::move(spec));
  const bool of_rows_at_hand = tables.rows_from == nullptr && tables.background_data == nullptr;
  const Value named = as_engine_takes(by_own_names(given, known), known, source, of_rows_at_hand);
  if (const MethodEntry* meant = led_to(entry, model, source, named)) {
    check_known(*meant, named);
    return explain(meant->name, model, source, named, context, sessions, other, tables);
  }
  Value options = Value::object(), of_grouping = Value::object(), of_tables = Value::object();
  const auto about_tables = table_options(entry);
  for (const auto& [option, value] : named.as_object()) {
    const OptionSpec& spec = *find_option(known, option);
    const bool chooses_rows = spec.type == OptionType::grouping || spec.type == OptionType::condition;
    // An unset variable of a script, most likely: all rows would be explained without a word.
    if (chooses_rows && value.is_string() && value.as_string().empty())
      throw Error(ErrorKind::usage, option_text(option) + " is empty", "leave it out to use all rows together");
    const bool of_other_tables = find_option(about_tables, option) != nullptr;
    Value& into = find_option(own, option) != nullptr ? of_grouping : of_other_tables ? of_tables : options;
    into.set(option, value);
  }
  // Whoever hands over a model has thereby chosen the option, and may have given it a name.
  if (const OptionSpec* spec = find_option(entry.options, OptionType::model);
      spec != nullptr && !other.place.empty() && options.find(spec->name) == nullptr)
    options.set(spec->name, other.place);
  const ModelPtr second = other_model(entry.options, options, other);
  const auto grouping = read_options<ExplainOptions>(of_grouping);
  const Value* train = of_tables.find("train_data");
  if (tables.train_data != nullptr || (train != nullptr && !train->is_null())) {
    if (!grouping.by.empty()) {
      throw Error(ErrorKind::usage, marked("{option:by} and {option:train_data} do not go together"),
                  "both are groups of rows: leave out one of them");
    }
    if (!takes_train_data(entry))
      throw Error(ErrorKind::usage, entry.name + " measures nothing that training data could flatter",
                  marked("leave out {option:train_data}"));
    const std::string place = train != nullptr && train->is_string() ? train->as_string() : "";
    const TrainingTables both(source, place, tables.train_data, options, context);
    RunSessions of_data(model, both.data(), context), of_training(model, both.training(), context);
    // Says which columns the training data lack.
    of_training.take_new_rows(both.met());
    Result result = explain_rows(entry, options, of_data, second);
    name_shown_class(result, of_data, read_options<RunOptions>(split_options(options, entry.options).first));
    Result other = explain_rows(entry, options, of_training, second);
    std::vector<std::pair<std::string, std::vector<Caveat>>> caveats;
    for (const auto& [name, one] : {std::pair(judged_on, &result), std::pair(fitted_to, &other)}) {
      for (ResultItem& item : one->results) put_into_group(item, name);
      caveats.emplace_back(name, std::move(one->caveats));
    }
    result.caveats.clear();
    result.results.insert(result.results.end(), other.results.begin(), other.results.end());
    result.data.set("train_rows", both.training().rows());
    merge_caveats(caveats, result);
    add_overfitting(result);
    if (const Value* target = options.find("target"); target != nullptr && !target->as_string().empty())
      both.add_seen_rows(model, target->as_string(), result);
    result.options.set("train_data", file_name(place));
    result.options.set("by", "");
    return result;
  }
  if (tables.rows_from != nullptr || tables.background_data != nullptr || !of_tables.as_object().empty()) {
    if (!grouping.by.empty()) {
      throw Error(ErrorKind::usage, marked("{option:by} is about the data, and these rows are others"),
                  marked("leave out {option:by}"));
    }
    const NewRowsRun run(entry, of_tables, options, source, tables, context);
    RunSessions fresh(model, run.data(), context);
    fresh.take_new_rows(run.new_rows());
    Result result = explain_rows(entry, run.options(), fresh, second);
    name_shown_class(result, fresh, read_options<RunOptions>(split_options(run.options(), entry.options).first));
    run.finish(result);
    result.options.set("by", "");
    return result;
  }
  if (grouping.by.empty()) {
    RunSessions fresh(model, source, context);
    RunSessions& own_sessions = sessions != nullptr ? *sessions : fresh;
    Result result = explain_rows(entry, options, own_sessions, second);
    name_shown_class(result, own_sessions, read_options<RunOptions>(split_options(options, entry.options).first));
    result.options.set("by", "");
    label_rows(source, result);
    return result;
  }

  if (names_rows(entry.options, options)) {
    throw Error(ErrorKind::usage, marked("{option:rows} and {option:by} do not go together"),
                marked("named rows are computed alone: leave out {option:by}"));
  }
  const Table* table = source.table();
  Table loaded;
  if (table == nullptr) {
    loaded = Table::load(source, &context);
    table = &loaded;
  }
  const RowKey key = row_key(grouping.by, table->schema());
  // Heard again by the run, which records it.
  const auto run_options = read_options<RunOptions>(split_options(options, entry.options).first);
  const std::vector<RowGroup> groups = groups_to_explain(*table, key, run_options.where);
  const std::size_t rows = rows_where(*table, run_options.where).size();

  Result all;
  std::uint64_t used = 0, covered = 0;
  std::vector<std::pair<std::string, std::vector<Caveat>>> caveats;
  std::optional<Error> failed;
  for (const RowGroup& group : groups) {
    covered += group.rows.size();
    Result result;
    try {
      // Of a part of its dates the column still has many values.
      GroupRows group_rows{.rows = group.rows};
      if (!key.part) group_rows.column = key.column;
      RunSessions of_group(model, *table, context, &group_rows);
      result = explain_rows(entry, options, of_group, second);
    } catch (const Error& error) {
      // A group may have rows without weight, or without an outcome: the others can still be explained.
      if (error.kind() != ErrorKind::data) throw;
      failed = error;
      caveats.emplace_back(group.name,
                           std::vector<Caveat>{{.id = "group-left-out",
                                                .severity = Severity::caution,
                                                .message = "cannot be explained: " + error.message(),
                                                .advice = marked("leave the group out with {option:where}")}});
      continue;
    }
    if (const Value* count = result.data.find("rows")) used += static_cast<std::uint64_t>(count->as_integer());
    for (ResultItem& item : result.results) {
      put_into_group(item, group.name);
      all.results.push_back(std::move(item));
    }
    caveats.emplace_back(group.name, std::move(result.caveats));
    if (all.method.empty()) {
      all.method = result.method;
      all.about = result.about;
      all.version = result.version;
      all.model = result.model;
      // What was found out about one group's rows does not hold for all.
      for (const auto& [fact, value] : result.data.as_object()) {
        if (fact != "best_constant" && fact != "scored_rows") all.data.set(fact, value);
      }
      all.options = result.options;
    }
  }
  if (all.method.empty()) throw *failed;
  all.data.set("rows", used);
  all.options.set("by", grouping.by);
  RunSessions of_all(model, *table, context);
  name_shown_class(all, of_all, run_options);
  // Rows without weight are in no group either.
  if (covered < rows && groups.size() >= most_groups) {
    all.caveats.push_back({.id = "largest-groups",
                           .severity = Severity::note,
                           .message = printable(grouping.by) + " has more levels than can be shown: the " +
                                      std::to_string(most_groups) + " with most rows are explained, " +
                                      std::to_string(covered) + " of " + std::to_string(rows) + " rows",
                           .evidence = Value::object({{"rows", covered}, {"available", rows}}),
                           .advice = marked("choose others with {option:where}")});
  }
  merge_caveats(caveats, all);
  label_rows(*table, all);
  return all;
}

}  // namespace sightglass
