#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/anchoring/certain_rule.h"
#include "sightglass/methods/local/anchors.h"
#include "sightglass/methods/run/made_rows.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/verify_internal.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

namespace {

constexpr std::size_t rows_at_once = 65'536;

const Rule* certain_rule(const Rules& rules) {
  const auto found =
      std::find_if(rules.rules.begin(), rules.rules.end(), [](const Rule& rule) { return rule.certain; });
  return found == rules.rules.end() ? nullptr : &*found;
}

// "class 2", "26 ± 13".
std::string promise_text(const Rule& rule) {
  if (!rule.effect) return printable(rule.predicted_class, 60);
  return condition_number(*rule.effect) + " ± " + condition_number(rule.tolerance.value_or(0));
}

class CertainRulesVerifier {
 public:
  CertainRulesVerifier(const VerifyTask& task, Verification& found)
      : task_(task), found_(found), session_(task.model, task.data, task.run_options(), task.context) {
    for (const ResultItem& item : task.saved.results) {
      const auto* rules = item.as<Rules>();
      if (rules != nullptr && rules->row) items_.push_back(rules);
    }
  }

  void check() {
    const MethodInput& input = session_.input();
    if (input.trees == nullptr)
      throw Error(ErrorKind::data,
                  "only the rules of a tree ensemble that is explained by its structure can be proven");
    options_ = read_options<AnchorsOptions>(own_options());
    outcomes_ = outcomes_of(input, {.outputs = input.outputs.size()}, options_.outcome, options_.tolerance);
    read_rows();
    const CertainRules prover(input, rows_, static_cast<std::uint64_t>(options_.boxes));
    const std::optional<Result> again = task_.of_new_model ? std::nullopt : std::optional(task_.made_again());
    std::set<const Rules*> known;
    for (const Rules* item : items_) {
      const std::size_t before = found_.failures.size();
      const Rules* same = again ? find_again(*item, *again) : nullptr;
      known.insert(same);
      if (certain_rule(*item) != nullptr) {
        ++found_.proofs;
        ++found_.rows;
        if (again && (same == nullptr || certain_rule(*same) == nullptr)) {
          fail(*item, "is not among the rows that are explained now, or has no certain rule any more");
        } else {
          check_item(*item, same, prover);
        }
        found_.kept += found_.failures.size() == before ? 1 : 0;
      }
      if (again && found_.failures.size() == before) check_rest(*item, same);
    }
    if (!again) return;
    for (const ResultItem& each : again->results) {
      const auto* missing = each.as<Rules>();
      if (missing != nullptr && missing->row && !known.contains(missing))
        fail(*missing, "is no longer among the rows of the result");
    }
  }

 private:
  void fail(const Rules& item, const std::string& why) {
    found_.failures.push_back("row " + std::to_string(*item.row) +
                              (item.output.empty() ? "" : ", " + printable(item.output, 60)) +
                              (item.group.empty() ? "" : ", " + printable(item.group, 60)) + ": " + why);
  }

  // Those of the method alone.
  [[nodiscard]] Value own_options() const {
    Value own = Value::object();
    const Value told = task_.told_options();
    for (const OptionSpec& spec : describe_options<AnchorsOptions>()) {
      if (const Value* value = told.find(spec.name)) own.set(spec.name, *value);
    }
    return own;
  }

  // All rows, for which values are missing; those that are explained are predicted.
  void read_rows() {
    const MethodInput& input = session_.input();
    rows_.values.resize(input.features.size());
    rows_.outputs = input.outputs.size();
    for (const Rules* item : items_) named_.try_emplace(*item->row);
    const auto stream = task_.data.open(input.features, rows_at_once);
    std::vector<std::vector<double>> values(input.features.size());
    std::vector<std::uint64_t> ids;
    while (const auto block = stream->next()) {
      for (std::size_t i = 0; i < block->rows; ++i) {
        const bool wanted = named_.contains(block->row_id(i));
        if (wanted) ids.push_back(block->row_id(i));
        for (std::size_t j = 0; j < input.features.size(); ++j) {
          const double value = block->columns[input.features[j]].number(i);
          if (std::isnan(value) && rows_.values[j].empty()) rows_.values[j].push_back(value);
          if (wanted) values[j].push_back(value);
        }
      }
    }
    if (ids.empty()) return;
    const MadeRows made(input.schema, input.features, values);
    Matrix predictions;
    session_.predicting_evaluator().evaluate(made.block(), predictions);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      LabelledRow& row = named_[ids[i]];
      row.id = ids[i];
      for (const auto& column : values) row.values.push_back(column[i]);
      const auto said = predictions.span().row(i);
      row.predictions.assign(said.begin(), said.end());
      ++found_.predictions;
    }
  }

  [[nodiscard]] static const Rules* find_again(const Rules& item, const Result& again) {
    for (const ResultItem& each : again.results) {
      const auto* other = each.as<Rules>();
      if (other != nullptr && other->row == item.row && other->output == item.output && other->group == item.group)
        return other;
    }
    return nullptr;
  }

  // same: what is found now; null: only the conditions are asked about.
  void check_item(const Rules& item, const Rules* same, const CertainRules& prover) {
    const Rule& rule = *certain_rule(item);
    const LabelledRow& row = named_.at(*item.row);
    if (row.values.empty()) return fail(item, "the data have no such row");
    if (same == nullptr || certain_rule(*same)->conditions != rule.conditions) {
      if (!check_conditions(item, rule, row, prover)) return;
    } else if (!same_promise(rule, *certain_rule(*same))) {
      return fail(item, "the model says " + promise_text(*certain_rule(*same)) + ", not " + promise_text(rule));
    }
    if (same != nullptr) compare_sizes(item, rule, *certain_rule(*same));
  }

  // The same rows and samples say the same again. What can be proven of certain rules was checked: other conditions, or
  // a weaker claim, may be as true.
  void check_rest(const Rules& item, const Rules* same) {
    if (same == nullptr) return fail(item, "is not among the rows that are explained now");
    const Rule *own = certain_rule(item), *found = certain_rule(*same);
    const bool alike = own != nullptr && found != nullptr && own->conditions == found->conditions;
    const auto rest = [&](Rules rules) {
      if (!alike) std::erase_if(rules.rules, [](const Rule& rule) { return rule.certain; });
      for (Rule& rule : rules.rules) {
        if (!rule.certain) continue;
        rule.proof.reset();
        rule.minimal = false;
      }
      return rules;
    };
    if (const std::string where = where_different(rest(item), rest(*same)); !where.empty())
      fail(item, "the same rows now say something else of " + where);
  }

  static bool same_promise(const Rule& a, const Rule& b) {
    const auto near = [](const std::optional<double>& x, const std::optional<double>& y) {
      return x.has_value() == y.has_value() && (!x || std::abs(*x - *y) <= 1e-9 * std::max(1.0, std::abs(*x)));
    };
    return a.predicted_class == b.predicted_class && near(a.effect, b.effect) && near(a.tolerance, b.tolerance);
  }

  bool check_conditions(const Rules& item, const Rule& rule, const LabelledRow& row, const CertainRules& prover) {
    const MethodInput& input = session_.input();
    for (const ShownCondition& condition : rule.conditions) {
      const auto at = std::find_if(input.features.begin(), input.features.end(), [&](std::uint32_t column) {
        return input.schema[column].name == condition.feature;
      });
      if (at == input.features.end()) {
        fail(item, "the model is not given " + printable(condition.feature, 60));
        return false;
      }
      const auto j = static_cast<std::size_t>(at - input.features.begin());
      if (row_meets(condition, input.schema[*at], row.values[j])) continue;
      fail(item, "the row does not meet " + condition_text(condition));
      return false;
    }
    // What was promised, not what is predicted now.
    LabelledRow promised = row;
    const AnchorOutcome* outcome = nullptr;
    AnchorOutcome held;
    for (const AnchorOutcome& each : outcomes_) {
      if (each.kind != AnchorOutcomeKind::top_class && outcome_output(input, each, row.predictions) != item.output)
        continue;
      held = each;
      outcome = &held;
      if (each.kind == AnchorOutcomeKind::number && rule.effect) {
        held.tolerance = rule.tolerance.value_or(0);
        promised.predictions[each.output] = *rule.effect;
      }
    }
    if (outcome == nullptr || !prover.available(held)) {
      fail(item, "the model has no output of the name that the result has, or none of which anything can be proven");
      return false;
    }
    const std::string said = outcome_class(input, held, row.predictions);
    if (said != rule.predicted_class || !held.same(row.predictions, promised.predictions)) {
      fail(item, "the model says " +
                     (said.empty() ? condition_number(row.predictions[held.output]) : printable(said, 60)) + ", not " +
                     promise_text(rule));
      return false;
    }
    const std::optional<bool> settled = prover.settled_by(rule.conditions, promised, held);
    if (settled.value_or(false)) return true;
    const std::string conditions = conditions_text(rule.conditions);
    if (settled) {
      fail(item, conditions + (task_.of_new_model ? " no longer settles " : " does not settle ") + promise_text(rule) +
                     ": some input that meets it is predicted otherwise");
    } else {
      fail(item, "that " + conditions + " settles " + promise_text(rule) + " cannot be proven by so few boxes");
    }
    return false;
  }

  void compare_sizes(const Rules& item, const Rule& rule, const Rule& again) {
    if (!rule.proof) return;
    const double size = static_cast<double>(rule.conditions.size());
    const double proven = again.proof->bound.value_or(0);
    const double claimed = rule.proof->status == ProofStatus::optimal ? size : rule.proof->bound.value_or(0);
    // An older file claims no more than that none can be left out.
    const bool counts = rule.proof->bound.has_value();
    if (counts && std::max(claimed, *rule.proof->bound) > proven) {
      fail(item, "that fewer than " + condition_number(std::max(claimed, *rule.proof->bound)) +
                     " features cannot settle it is not proven: " +
                     (again.proof->status == ProofStatus::optimal ? condition_number(proven) + " do"
                                                                  : "only fewer than " + condition_number(proven)));
    } else if (counts && rule.proof->status == ProofStatus::optimal && *rule.proof->bound != size) {
      fail(item, "what is proven smallest has another size than its bound");
    }
    if ((rule.minimal || !counts) && again.conditions != rule.conditions && size > proven)
      fail(item, "that none of its conditions can be left out was not proven of these");
  }

  const VerifyTask& task_;
  Verification& found_;
  RunSession session_;
  AnchorsOptions options_;
  std::vector<AnchorOutcome> outcomes_;
  std::vector<const Rules*> items_;
  LabelledRows rows_;
  std::map<std::uint64_t, LabelledRow> named_;
};

}  // namespace

bool has_certain_rules(const Result& saved) {
  return std::any_of(saved.results.begin(), saved.results.end(), [](const ResultItem& item) {
    const auto* rules = item.as<Rules>();
    return rules != nullptr && rules->row && certain_rule(*rules) != nullptr;
  });
}

void verify_certain_rules(const VerifyTask& task, Verification& found) { CertainRulesVerifier(task, found).check(); }

}  // namespace sightglass
