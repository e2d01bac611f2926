#include "sightglass/plans/explain.h"

#include <algorithm>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/version.h"
#include "sightglass/data/condition.h"
#include "sightglass/plans/compare.h"
#include "sightglass/plans/ranking.h"

namespace sightglass {

namespace {

constexpr std::size_t most_groups = 12;

bool same(const Caveat& a, const Caveat& b) { return a.id == b.id && a.message == b.message; }

void add_new(std::vector<Caveat>& caveats, const Caveat& caveat) {
  const auto is_same = [&](const Caveat& other) { return same(caveat, other); };
  if (std::none_of(caveats.begin(), caveats.end(), is_same)) caveats.push_back(caveat);
}

bool about_the_same(const Caveat& a, const Caveat& b) {
  const auto member = [](const Caveat& caveat, const char* name) {
    const Value* value = caveat.evidence.is_object() ? caveat.evidence.find(name) : nullptr;
    return value == nullptr ? Value() : *value;
  };
  if (a.id != b.id || member(a, "feature") != member(b, "feature")) return false;
  return a.message == b.message || !member(a, "feature").is_null();
}

// One method, or the methods of a plan, over some of the rows.
Result explain_rows(const MethodEntry& entry, const Model& model, const Source& source, const Value& options,
                    Context& context, const std::vector<std::uint64_t>* among) {
  if (entry.plan == nullptr) return run(entry.name, model, source, options, context, among);
  const auto [run_values, own_values] = split_options(options, entry.options);
  Value model_facts, data_facts, run_facts;
  std::vector<Caveat> caveats;
  PlanInput input;
  input.has_target = !read_options<RunOptions>(run_values).target.empty();
  input.run = [&, &run_values = run_values](std::string_view method, const Value& own) {
    Value all = run_values;
    if (!own.is_null()) {
      for (const auto& [name, value] : own.as_object()) all.set(name, value);
    }
    Result result = run(method, model, source, all, context, among);
    if (model_facts.is_null()) {
      model_facts = result.model;
      data_facts = result.data;
      run_facts = Value::object();
      for (const auto& spec : describe_options<RunOptions>()) {
        if (const Value* value = result.options.find(spec.name)) run_facts.set(spec.name, *value);
      }
    }
    for (const Caveat& caveat : result.caveats) {
      // Several methods find the same thing about a feature, in their own words: the first one says it.
      const auto is_known = [&](const Caveat& other) { return about_the_same(caveat, other); };
      if (std::none_of(caveats.begin(), caveats.end(), is_known)) caveats.push_back(caveat);
    }
    return result;
  };
  Result result = entry.plan(input, own_values);
  result.method = entry.name;
  result.version = version();
  result.model = std::move(model_facts);
  result.data = std::move(data_facts);
  result.options = std::move(run_facts);
  for (const auto& spec : entry.options) {
    const Value* value = own_values.find(spec.name);
    result.options.set(spec.name, value != nullptr ? *value : spec.default_value);
  }
  // The plan's own come first: it saw more.
  for (const Caveat& caveat : caveats) add_new(result.caveats, caveat);
  return result;
}

void put_into_group(ResultItem& item, const std::string& name) {
  std::visit([&](auto& shape) { shape.group = shape.group.empty() ? name : name + ", " + shape.group; }, item);
}

// The same caveat of every group is said once, of all; others name their group.
void merge_caveats(std::vector<std::pair<std::string, std::vector<Caveat>>> per_group, Result& into) {
  for (const auto& [name, caveats] : per_group) {
    for (const Caveat& caveat : caveats) {
      const bool everywhere = std::all_of(per_group.begin(), per_group.end(), [&](const auto& group) {
        return std::any_of(group.second.begin(), group.second.end(), [&](const auto& c) { return same(c, caveat); });
      });
      Caveat said = caveat;
      if (!everywhere) {
        said.message = name + ": " + caveat.message;
        if (said.evidence.is_object()) said.evidence.set("group", name);
      }
      add_new(into.caveats, said);
    }
  }
}

}  // namespace

const std::vector<MethodEntry>& catalogue() {
  static const std::vector<MethodEntry> entries = [] {
    std::vector<MethodEntry> all = methods();
    all.push_back(compare());
    all.push_back(ranking());
    return all;
  }();
  return entries;
}

std::vector<OptionSpec> shared_options() {
  std::vector<OptionSpec> specs = describe_options<RunOptions>();
  for (OptionSpec& spec : describe_options<ExplainOptions>()) specs.push_back(std::move(spec));
  return specs;
}

Result explain(std::string_view name, const Model& model, const Source& source, const Value& given, Context& context) {
  const MethodEntry& entry = find_entry(catalogue(), name);
  Value options = Value::object();
  ExplainOptions grouping;
  if (!given.is_null()) {
    for (const auto& [option, value] : given.as_object()) {
      if (option != "by") {
        options.set(option, value);
      } else if (!value.is_null()) {
        grouping = read_options<ExplainOptions>(Value::object({{"by", value}}));
      }
    }
  }
  if (grouping.by.empty()) {
    Result result = explain_rows(entry, model, source, options, context, nullptr);
    result.options.set("by", "");
    return result;
  }

  const Table* table = source.table();
  Table loaded;
  if (table == nullptr) {
    loaded = Table::load(source, &context);
    table = &loaded;
  }
  const std::uint32_t column = table->schema().require(grouping.by, "by");
  std::vector<std::uint64_t> rows(table->rows());
  std::iota(rows.begin(), rows.end(), table->first_row());
  // Groups are those of the rows that the condition leaves; it is heard again by the run, which records it.
  const auto run_options = read_options<RunOptions>(split_options(options, entry.options).first);
  if (!run_options.where.empty()) rows = Condition(run_options.where, table->schema()).rows(*table);
  if (rows.empty()) {
    throw Error(ErrorKind::data, "where: no row fulfils " + printable(run_options.where), "loosen the condition");
  }
  const std::vector<RowGroup> groups = group_rows(*table, column, rows, most_groups);

  Result all;
  std::uint64_t used = 0, covered = 0;
  std::vector<std::pair<std::string, std::vector<Caveat>>> caveats;
  for (const RowGroup& group : groups) {
    Result result = explain_rows(entry, model, *table, options, context, &group.rows);
    covered += group.rows.size();
    if (const Value* count = result.data.find("rows")) used += static_cast<std::uint64_t>(count->as_integer());
    for (ResultItem& item : result.results) {
      put_into_group(item, group.name);
      all.results.push_back(std::move(item));
    }
    caveats.emplace_back(group.name, std::move(result.caveats));
    if (&group == &groups.front()) {
      all.method = result.method;
      all.version = result.version;
      all.model = result.model;
      all.data = result.data;
      all.options = result.options;
    }
  }
  all.data.set("rows", used);
  all.options.set("by", grouping.by);
  if (covered < rows.size()) {
    all.caveats.push_back({.id = "largest-groups",
                           .severity = Severity::note,
                           .message = printable(grouping.by) + " has more levels than can be shown: the " +
                                      std::to_string(most_groups) + " with most rows are explained, " +
                                      std::to_string(covered) + " of " + std::to_string(rows.size()) + " rows",
                           .evidence = Value::object({{"rows", covered}, {"available", rows.size()}}),
                           .advice = "choose others with where"});
  }
  merge_caveats(std::move(caveats), all);
  return all;
}

}  // namespace sightglass
