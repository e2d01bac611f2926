#include "sightglass/insight/readable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/interval.h"

namespace sightglass {

namespace {

std::string special(double value) {
  if (std::isnan(value)) return "–";
  return value > 0 ? "∞" : "-∞";
}

// Inserts commas into the digits before the point: 1234567.5 -> 1,234,567.5.
std::string grouped(std::string digits) {
  const auto point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = point; i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string fixed(double value, int decimals) {
  std::string digits = fmt::format("{:.{}f}", value, decimals);
  // -0.00 says nothing that 0.00 does not.
  if (digits.starts_with('-') && digits.find_first_not_of("-0.") == std::string::npos) digits.erase(0, 1);
  return grouped(digits);
}

int magnitude(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

}  // namespace

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string words(std::string_view identifier) {
  std::string text = printable(identifier, 60);
  std::replace(text.begin(), text.end(), '_', ' ');
  std::replace(text.begin(), text.end(), '-', ' ');
  return text;
}

std::string readable(double value) {
  if (!std::isfinite(value)) return special(value);
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e9 || size < 1e-4) return fmt::format("{:.3g}", value);
  if (size >= 1000) return fixed(value, 0);
  std::string text = fixed(value, std::max(0, 3 - magnitude(value)));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string readable_error(double value) {
  if (!std::isfinite(value) || value == 0) return readable(value);
  const double scale = std::pow(10, 1 - magnitude(value));
  return std::isfinite(scale) && scale > 0 ? readable(std::round(value * scale) / scale) : readable(value);
}

std::string readable_share(double value) {
  return std::abs(value) >= 0.0005 && std::abs(value) < 1000 ? readable(std::round(1000 * value) / 1000)
                                                             : readable(value);
}

ColumnFormat::ColumnFormat(std::span<const double> given, bool percents) : percents_(percents) {
  std::vector<double> values(given.begin(), given.end());
  if (percents) {
    for (double& value : values) value *= 100;
  }
  double low = 0, high = 0;
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  const double largest = std::max(std::abs(low), std::abs(high));
  if (!any || largest == 0) return;
  // Four digits of the largest value (of a percentage three), and at least two within the spread.
  int finest = magnitude(largest) - (percents ? 2 : 3);
  if (high > low) finest = std::min(finest, magnitude(high - low) - 1);
  scientific_ = largest >= 1e9 || largest < 1e-4 || -finest > 9;
  if (scientific_) {
    decimals_ = 3;
    return;
  }
  // No zeros at the end that every value shares.
  const auto exact = [&](int decimals) {
    const double scale = std::pow(10, decimals);
    return std::all_of(values.begin(), values.end(), [&](double value) {
      const double scaled = value * scale;
      return !std::isfinite(value) || std::abs(scaled - std::round(scaled)) < 1e-9 * std::max(1.0, std::abs(scaled));
    });
  };
  const int most = std::clamp(-finest, 0, 9);
  while (decimals_ < most && !exact(decimals_)) ++decimals_;
}

std::string ColumnFormat::operator()(double value) const {
  if (!std::isfinite(value)) return special(value);
  if (percents_) value *= 100;
  return (scientific_ ? fmt::format("{:.{}e}", value, decimals_) : fixed(value, decimals_)) + (percents_ ? " %" : "");
}

ColumnFormat error_format(std::vector<double> errors, bool percents) {
  double largest = 0;
  for (const double error : errors) {
    if (std::isfinite(error)) largest = std::max(largest, std::abs(error));
  }
  const double scale = largest > 0 ? std::pow(10, 1 - magnitude(largest)) : 0;
  if (scale > 0 && std::isfinite(scale)) {
    for (double& error : errors) error = std::round(error * scale) / scale;
  }
  return ColumnFormat(errors, percents);
}

bool are_years(std::span<const double> values) {
  return !values.empty() && std::all_of(values.begin(), values.end(), [](double value) {
    return value >= 1800 && value <= 2200 && value == std::round(value);
  });
}

std::string readable_year(double value) { return fmt::format("{:.0f}", value); }

std::vector<std::string> axis_numbers(const Axis& axis) {
  if (axis.dates) return date_texts(axis.dates, axis.numbers);
  const bool years = are_years(axis.numbers);
  const ColumnFormat format(axis.numbers);
  std::vector<std::string> texts;
  for (const double value : axis.numbers) texts.push_back(years ? readable_year(value) : format(value));
  return texts;
}

bool counts_whole(const Distribution& distribution) {
  const auto is_whole = [](double value) { return std::abs(value) < 1e15 && value == std::floor(value); };
  return !distribution.rug.empty() && std::all_of(distribution.rug.begin(), distribution.rug.end(), is_whole) &&
         std::all_of(distribution.edges.begin(), distribution.edges.end(),
                     [&](double edge) { return is_whole(2 * edge); });
}

std::string axis_number(const Axis& axis, double value) {
  if (axis.dates) return date_text(axis.dates, value);
  return are_years(axis.numbers) ? readable_year(value) : readable(value);
}

std::string axis_distance(const Axis& axis, double amount) {
  if (!axis.dates) return readable(amount);
  const double days = amount / units_per_day(axis.dates.unit);
  static constexpr std::pair<double, const char*> spans[] = {
      {1, "day"}, {24, "hour"}, {1440, "minute"}, {86400, "second"}};
  for (const auto& [per_day, name] : spans) {
    const double count = std::round(days * per_day * 10) / 10;
    if (std::abs(count) < 1 && per_day < 86400 && count != 0) continue;
    return readable(count) + " " + name + (count == 1 ? "" : "s");
  }
  return readable(amount);
}

std::string readable_value(const Value& value, DateKind dates, std::size_t limit) {
  if (value.is_string()) return printable(value.as_string(), limit);
  if (!value.is_number()) return {};
  return dates ? date_text(dates, value.as_number()) : readable(value.as_number());
}

std::string percent(double share) {
  if (!std::isfinite(share)) return special(share);
  const double value = 100 * share;
  return (std::abs(value) < 1 && value != 0 ? fixed(value, 1) : fixed(value, 0)) + " %";
}

std::string difference_words(double heterogeneity) {
  return "differs from row to row (" + percent(heterogeneity) + ")";
}

std::string axis_title(const Axis& axis, std::size_t limit) {
  std::string title = printable(axis.feature, limit);
  if (title.empty()) title = "(no name)";
  if (!axis.unit.empty()) title += " (" + printable(axis.unit, 30) + ")";
  return title;
}

std::string method_title(const Result& result) {
  return result.about.title.empty() ? capitalised(words(result.method)) : printable(result.about.title, 80);
}

bool predicts_classes(const Result& result) {
  const std::string task = text_member(result.model, "task");
  return task.find("class") != std::string::npos || task.find("binary") != std::string::npos;
}

std::string text_member(const Value& object, std::string_view key) {
  const Value* member = object.find(key);
  return member != nullptr && member->is_string() ? member->as_string() : std::string();
}

namespace {

bool on_margin(const Result& result) { return text_member(result.options, "scale") == "margin"; }

// What a margin is called: log-odds where the objective is known to make them, else just that.
std::string margin_unit(const Result& result) {
  const std::string objective = text_member(result.model, "objective");
  if (text_member(result.model, "task") != "binary") return "margin";
  static constexpr std::string_view known[] = {"binary:logistic", "binary:logitraw", "reg:logistic",
                                               "binary sigmoid:1"};
  const bool boosted = text_member(result.model, "estimator").find("Boosting") != std::string::npos;
  const bool logistic = std::find(std::begin(known), std::end(known), objective) != std::end(known) ||
                        (boosted && objective == "log_loss");
  return logistic ? "log-odds" : "margin";
}

}  // namespace

bool predicts_probabilities(const Result& result) { return predicts_classes(result) && !on_margin(result); }

bool told_in_percent(const Result* result, Measure measure) {
  return result != nullptr && measure != Measure::loss && predicts_probabilities(*result);
}

std::string readable_prediction(const Result& result, double value) {
  return told_in_percent(&result) ? percent(value) : readable(value);
}

std::string prediction_subject(const Result& result, std::string_view output) {
  const std::string target = printable(text_member(result.data, "target"), 60);
  const bool several = predicts_classes(result) || outputs_of(result).size() > 1;
  // A binary model whose classes have no names: what is predicted is its second class.
  if (several && output == "prediction") return target.empty() ? "class 1" : target + " = 1";
  // A number would pass for one.
  const bool bare = predicts_classes(result) && output.find_first_not_of("0123456789.-") == std::string_view::npos;
  if (several) return (bare && !output.empty() ? "class " : "") + printable(output, 60);
  if (!target.empty()) return target;
  // The only output of many models is called "prediction": that would say nothing twice.
  return output == "prediction" ? "" : printable(output, 60);
}

std::string prediction_unit(const Result& result) {
  if (predicts_probabilities(result)) return {};
  return on_margin(result) ? margin_unit(result) : printable(text_member(result.data, "target_unit"), 30);
}

namespace {

// "prediction of rentals (bikes/hour)"; `per` belongs to the unit.
std::string predicted(const Result& result, std::string_view output, const std::string& per) {
  std::string title = predicts_probabilities(result) ? "predicted probability" : "prediction";
  if (const std::string subject = prediction_subject(result, output); !subject.empty()) title += " of " + subject;
  const std::string unit = prediction_unit(result);
  if (unit.empty() && !per.empty()) return title + " (" + per.substr(1) + ")";
  return unit.empty() ? title : title + " (" + unit + per + ")";
}

}  // namespace

std::string prediction_title(const Result& result, Quantity quantity, std::string_view output) {
  if (quantity == Quantity::loss) return "loss";
  static constexpr std::string_view starts[] = {"mean ", "", "change in ", "effect on the "};
  return std::string(starts[static_cast<std::size_t>(quantity)]) + predicted(result, output, "");
}

std::string loss_noun(const std::optional<LossKind>& loss) {
  return loss && is_score(*loss) ? std::string(label_of(*loss)) : "loss";
}

std::string height_name(const Curve& curve) {
  return curve.measure == Measure::loss ? loss_noun(curve.loss) : std::string(to_string(curve.measure));
}

Quantity quantity_of(Measure measure) {
  return measure == Measure::effect ? Quantity::effect : measure == Measure::loss ? Quantity::loss : Quantity::mean;
}

std::string slope_title(const Result& result, std::string_view output, const Axis& axis) {
  std::string per = axis.unit.empty() ? "" : " per " + printable(axis.unit, 30);
  if (axis.dates) per = axis.dates.unit == DateUnit::days ? " per day" : " per second";
  return "slope of the " + predicted(result, output, per);
}

std::string curves_title(const Result& result, const Curves& curves) {
  if (curves.derivative) return slope_title(result, curves.output, curves.axis);
  return prediction_title(result, anchor_of(curves).empty() ? Quantity::single : Quantity::change, curves.output);
}

std::string anchor_of(const Curves& curves) {
  if (!curves.anchor) return printable(curves.anchor_level, 60);
  const std::string unit = curves.axis.unit.empty() ? "" : " " + printable(curves.axis.unit, 30);
  return axis_number(curves.axis, *curves.anchor) + unit;
}

bool figure_is_share(const Figure& figure) {
  const bool meant = figure.id == FigureId::left_by_main_effects || figure.id == FigureId::left_by_local_effects;
  return meant && figure.value >= 0 && figure.value <= 1;
}

bool is_share(const ImportanceMeasure& measure) {
  return measure.kind == MeasureKind::variance || measure.kind == MeasureKind::recourse;
}

namespace {

// Names of losses are for programs.
std::string_view loss_title(LossKind loss) {
  switch (loss) {
    case LossKind::r2: return "R²";
    case LossKind::rmse: return "RMSE";
    case LossKind::auc: return "AUC";
    case LossKind::f1: return "F1";
    case LossKind::absolute: return "mean absolute error";
    default: return label_of(loss);
  }
}

}  // namespace

std::string figure_title(const Result& result, const Figure& figure) {
  switch (figure.id) {
    case FigureId::loss: return std::string(figure.loss ? loss_title(*figure.loss) : printable(figure.name));
    case FigureId::left_by_main_effects: return "not explained by single features alone";
    case FigureId::left_by_local_effects: return "not explained by single features alone (ALE)";
    case FigureId::main_effect_complexity: return "straight pieces of a feature's effect";
    case FigureId::mean_prediction:
      // Beside probabilities it would pass for one.
      return printable(figure.name) + (on_margin(result) ? " (" + margin_unit(result) + ")" : "");
    default: return printable(figure.name);
  }
}

FigureText figure_text(const Figure& figure) {
  const bool share = figure_is_share(figure);
  FigureText text{share ? percent(figure.value) : readable(figure.value), ""};
  if (!figure.se) return text;
  const double half = interval_width * *figure.se;
  text.half = share ? readable_error(100 * half) + " %" : readable_error(half);
  return text;
}

std::string figure_about(const Result& result, const Figure& figure, std::string_view between) {
  std::string about;
  for (const auto* part : {&figure.output, &figure.group}) {
    const bool said = part == &figure.output && outputs_of(result).size() < 2;
    if (!part->empty() && !said) about += (about.empty() ? "" : std::string(between)) + printable(*part, 60);
  }
  return about;
}

std::string rows_condition(const Result& result) { return printable(text_member(result.options, "where"), 400); }

std::vector<std::pair<std::string, std::string>> data_facts(const Result& result) {
  Value data = result.data;
  // Worth a word only where not all of them are used.
  const Value *rows = data.find("rows"), *available = data.find("rows_available");
  if (rows != nullptr && available != nullptr && *rows == *available) data.set("rows_available", Value());
  auto list = facts(data);
  if (const std::string condition = rows_condition(result); !condition.empty()) {
    list.insert(list.begin(), {"Only rows where", condition});
  }
  return list;
}

std::vector<std::string> outputs_of(const Result& result) {
  std::vector<std::string> outputs;
  for (const auto& item : result.results) {
    const std::string& output = item.output();
    // An importance or a figure without one is about all of them.
    if (output.empty()) continue;
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) outputs.push_back(output);
  }
  return outputs;
}

std::string shown_output(const Result& result) {
  const auto outputs = outputs_of(result);
  const Value* shown = result.data.find("shown_class");
  const std::string name = shown != nullptr ? text_member(*shown, "name") : std::string();
  if (std::find(outputs.begin(), outputs.end(), name) != outputs.end()) return name;
  return outputs.empty() ? std::string() : outputs[0];
}

bool is_said(const Value& object, const Value& by) {
  if (!object.is_object() || !by.is_object()) return false;
  return std::all_of(object.as_object().begin(), object.as_object().end(), [&](const Value::Member& member) {
    const Value* other = by.find(member.first);
    return other != nullptr && *other == member.second;
  });
}

std::string readable(const Value& value) {
  if (value.is_null()) return "–";
  if (value.is_bool()) return value.as_bool() ? "yes" : "no";
  if (value.is_number()) return readable(value.as_number());
  if (value.is_string()) return printable(value.as_string(), 120);
  std::string text;
  const auto add = [&](const std::string& part) {
    if (text.size() > 100) return false;
    text += (text.empty() ? "" : ", ") + part;
    return true;
  };
  if (value.is_array()) {
    for (const auto& item : value.as_array()) {
      if (!add(readable(item))) return text + ", …";
    }
    return text.empty() ? "none" : text;
  }
  for (const auto& [name, member] : value.as_object()) {
    if (!add(words(name) + " " + readable(member))) return text + ", …";
  }
  return text.empty() ? "none" : text;
}

std::vector<std::pair<std::string, std::string>> facts(const Value& object) {
  std::vector<std::pair<std::string, std::string>> list;
  if (!object.is_object()) return list;
  for (const auto& [name, value] : object.as_object()) {
    if (value.is_null() || value.is_object()) continue;
    if (value.is_string() && value.as_string().empty()) continue;
    if (value.is_array() && value.as_array().empty()) continue;
    list.emplace_back(capitalised(words(name)), readable(value));
  }
  return list;
}

std::vector<const Caveat*> worst_first(const std::vector<Caveat>& caveats) {
  std::vector<const Caveat*> sorted;
  for (const auto& caveat : caveats) sorted.push_back(&caveat);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Caveat* a, const Caveat* b) { return a->severity > b->severity; });
  return sorted;
}

}  // namespace sightglass
