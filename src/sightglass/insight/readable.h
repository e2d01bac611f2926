// Numbers, names and titles as people read them: shared by every renderer, so that the same result reads
// the same in a terminal, a chart and a page. Independent of locale.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

// Four significant digits, thousands separated: 12,346 · 0.3142 · 1.2e-07.
[[nodiscard]] std::string readable(double value);

// Two digits, for the uncertainty of a number: 0.0078.
[[nodiscard]] std::string readable_error(double value);
// Three decimals, for H² and other shares that may exceed 1.
[[nodiscard]] std::string readable_share(double value);

// One number of decimals for a whole column, fine enough to tell its values apart.
class ColumnFormat {
 public:
  // percents: the values are shares, told as percentages.
  explicit ColumnFormat(std::span<const double> values, bool percents = false);
  [[nodiscard]] std::string operator()(double value) const;

 private:
  int decimals_ = 0;
  bool scientific_ = false, percents_ = false;
};

// For a column of uncertainties: two digits of the largest.
[[nodiscard]] ColumnFormat error_format(std::vector<double> errors, bool percents = false);

// Whether all are years by their looks: whole numbers from 1800 to 2200. Nobody separates thousands in those.
[[nodiscard]] bool are_years(std::span<const double> values);
[[nodiscard]] std::string readable_year(double value);
// Values of a feature for a column of a table: as one ColumnFormat writes them, or as years.
[[nodiscard]] std::vector<std::string> axis_numbers(const Axis& axis);
// A number beside the axis's own: a date, a year, or just a number.
[[nodiscard]] std::string axis_number(const Axis& axis, double value);
// How far apart two of them are: "12 days" of dates.
[[nodiscard]] std::string axis_distance(const Axis& axis, double amount);
// A value of a row by its feature: a level, a number, a date; empty if there is none.
[[nodiscard]] std::string readable_value(const Value& value, DateKind dates, std::size_t limit = 60);

// 0.123 -> "12 %".
// Whether all values of a numeric feature are whole, as far as its distribution tells: a few different values, its
// deciles whole, and the edges of the histogram, which lie half way between neighbours.
[[nodiscard]] bool counts_whole(const Distribution& distribution);

[[nodiscard]] std::string percent(double share);
// How much of what single rows do is not in their average: "differs from row to row (34 %)".
[[nodiscard]] std::string difference_words(double heterogeneity);

// "temp (°C)"; hostile characters replaced, at most about `limit` bytes of name.
[[nodiscard]] std::string axis_title(const Axis& axis, std::size_t limit = 80);
// "root_mean_square" -> "root mean square".
[[nodiscard]] std::string words(std::string_view identifier);
[[nodiscard]] std::string capitalised(std::string text);
// "partial-dependence" -> "Partial dependence".
[[nodiscard]] std::string method_title(const Result& result);

[[nodiscard]] bool predicts_classes(const Result& result);
// Classification on the response scale predicts probabilities; everything else a quantity.
[[nodiscard]] bool predicts_probabilities(const Result& result);
// Whether heights of a result are told in percent: probabilities and their differences, no losses.
[[nodiscard]] bool told_in_percent(const Result* result, Measure measure = Measure::mean);
// A prediction: "12 %" of a probability, else a number.
[[nodiscard]] std::string readable_prediction(const Result& result, double value);
// What is predicted: "rentals", or the class or output where there are several; may be empty.
[[nodiscard]] std::string prediction_subject(const Result& result, std::string_view output);
// What predictions are measured in: "bikes/hour", "log-odds"; empty if unknown, and for probabilities.
[[nodiscard]] std::string prediction_unit(const Result& result);
// "mean prediction of rentals (bikes/hour)", "effect on the predicted probability of Adelie", "loss".
// Without an output where several share a chart: "mean predicted probability".
enum class Quantity { mean, single, change, effect, loss };
[[nodiscard]] std::string prediction_title(const Result& result, Quantity quantity, std::string_view output);
[[nodiscard]] Quantity quantity_of(Measure measure);
// Of curves of losses, whose series name them: whether higher is better (auc, accuracy), and what their heights
// are called: "accuracy", "loss".
[[nodiscard]] std::string loss_noun(const std::optional<LossKind>& loss);
// The head of a column of a curve's heights: "mean", "effect", "loss", "accuracy".
[[nodiscard]] std::string height_name(const Curve& curve);
// "slope of the prediction of rentals (bikes/hour per °C)".
[[nodiscard]] std::string slope_title(const Result& result, std::string_view output, const Axis& axis);
// What the heights of a chart of lines per row are: predictions, changes from an anchor, or slopes.
[[nodiscard]] std::string curves_title(const Result& result, const Curves& curves);
// The value at which centred curves are 0; empty of others.
[[nodiscard]] std::string anchor_of(const Curves& curves);

// Of how the predictions vary; told in percent as long as they can be shares.
[[nodiscard]] bool figure_is_share(const Figure& figure);
// Importances that are shares of a whole: of variance, of rows.
[[nodiscard]] bool is_share(const ImportanceMeasure& measure);
// "mean prediction (log-odds)", and which output and rows it is about where there are several.
[[nodiscard]] std::string figure_title(const Result& result, const Figure& figure);
// "0.95", or "26 %" of a share, and half of its 95 % interval if that is known.
struct FigureText {
  std::string value, half;
};
[[nodiscard]] FigureText figure_text(const Figure& figure);
[[nodiscard]] std::string figure_about(const Result& result, const Figure& figure, std::string_view between = " · ");

// The outputs (classes) that the result's items speak about, in order of appearance.
[[nodiscard]] std::vector<std::string> outputs_of(const Result& result);

// Which of them is shown where there is room for one: what the result says of the classes (data.shown_class), else the
// first. Empty if there is none.
[[nodiscard]] std::string shown_output(const Result& result);

// Whether all that one object says (Result.model, Result.data) is said by another.
[[nodiscard]] bool is_said(const Value& object, const Value& by);
// A text member of an object such as Result.data, or "".
[[nodiscard]] std::string text_member(const Value& object, std::string_view key);
// "cnt.ubj · xgboost · 300 trees": scalar members of Result.model or Result.data as (label, text).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> facts(const Value& object);
// The condition that chose the rows: "age > 20 and region = north"; empty = all.
[[nodiscard]] std::string rows_condition(const Result& result);
// Facts about the data, that condition first: whoever sees only a part of the rows must know.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> data_facts(const Result& result);

// A JSON-like value on one short line.
[[nodiscard]] std::string readable(const Value& value);

// Caveats, worst first, otherwise as given.
[[nodiscard]] std::vector<const Caveat*> worst_first(const std::vector<Caveat>& caveats);

}  // namespace sightglass
