#include "sightglass/plans/train_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/plans/new_rows.h"

namespace sightglass {

namespace {

// Standard errors that a difference must exceed, and the share of the larger number. Those of importances are about
// shuffling alone, and not about which rows there are.
constexpr double beyond_chance = 2, clear_share = 0.2, clear_share_of_importance = 1.0 / 3;
// Of the most important feature on the training data, below which a feature does not matter anywhere.
constexpr double matters = 0.05;
constexpr std::size_t most_named = 5;

bool clearly_more(double larger, double smaller, const std::optional<double>& se_a, const std::optional<double>& se_b,
                  double share) {
  const double a = se_a.value_or(0), b = se_b.value_or(0);
  return larger - smaller > beyond_chance * std::sqrt(a * a + b * b) &&
         larger - smaller > share * std::max(std::abs(larger), std::abs(smaller));
}

// Rows that are the same must be at least so many, and so much more of the data than is the same among training rows:
// both are as often, if both are drawn from the same world.
constexpr std::size_t least_seen = 5;
constexpr double seen_beyond_chance = 3, clear_share_of_seen = 0.05;

// A digest of each row.
std::vector<std::uint64_t> row_digests(const Table& table, const std::vector<std::uint32_t>& columns) {
  std::vector<std::uint64_t> digests(table.rows(), 0);
  std::vector<double> values(table.rows());
  for (const std::uint32_t column : columns) {
    read_numbers(table.column(column), values);
    for (std::size_t row = 0; row < values.size(); ++row) {
      // One missing value is as good as another, and 0 is -0.
      const double value = std::isnan(values[row]) ? std::numeric_limits<double>::quiet_NaN() : values[row] + 0.0;
      std::uint64_t& digest = digests[row];
      digest = (digest ^ std::bit_cast<std::uint64_t>(value)) * 0x9e37'79b9'7f4a'7c15;
      digest ^= digest >> 32;
    }
  }
  return digests;
}

// The item of the same kind about the training data.
template <class Shape, class Same>
const Shape* counterpart(const Result& both, const Same& same) {
  for (const ResultItem& item : both.results) {
    const auto* other = item.as<Shape>();
    if (other != nullptr && other->group == fitted_to && same(*other)) return other;
  }
  return nullptr;
}

void add_figures(Result& both) {
  Value listed = Value::array();
  std::string text;
  bool sure = false;
  for (const ResultItem& item : both.results) {
    const auto* figure = item.as<Figure>();
    if (figure == nullptr || figure->group != judged_on || figure->id != FigureId::loss || !figure->loss) continue;
    const auto* train = counterpart<Figure>(both, [&](const Figure& other) {
      return other.id == figure->id && other.loss == figure->loss && other.output == figure->output &&
             other.name == figure->name;
    });
    if (train == nullptr) continue;
    // R² by what it leaves unexplained: 0.2 instead of 0.1 is hardly another loss.
    const double whole = *figure->loss == LossKind::r2 ? 1 : 0;
    const bool better = is_score(*figure->loss) && whole == 0
                            ? clearly_more(train->value, figure->value, train->se, figure->se, clear_share)
                            : clearly_more(std::abs(whole - figure->value), std::abs(whole - train->value), figure->se,
                                           train->se, clear_share);
    if (!better) continue;
    // Of ranks nobody knows how far chance goes: they only say it with others.
    sure = sure || (train->se && figure->se);
    text += (text.empty() ? "" : "; ") + std::string(label_of(*figure->loss)) + " is " + number_text(train->value) +
            " on the " + fitted_to + " and " + number_text(figure->value) + " on the " + judged_on;
    listed.push_back(Value::object(
        {{"loss", std::string(to_string(*figure->loss))}, {"training", train->value}, {"test", figure->value}}));
  }
  if (!sure) return;
  both.caveats.insert(
      both.caveats.begin(),
      {.id = "overfitting",
       .severity = Severity::caution,
       .message = text + ": the model has learnt some of its training data by heart",
       .evidence = Value::object({{"figures", std::move(listed)}}),
       .advice = "judge it by the test data; a simpler model, or one with more rows, may lose nothing"});
}

struct Inflated {
  const Importance *test = nullptr, *train = nullptr;
  [[nodiscard]] double gap() const { return train->importance - test->importance; }
};

void add_importances(Result& both) {
  std::vector<Inflated> found;
  for (const ResultItem& item : both.results) {
    const auto* entry = item.as<Importance>();
    if (entry == nullptr || entry->group != judged_on) continue;
    const auto* train = counterpart<Importance>(both, [&](const Importance& other) {
      return other.feature == entry->feature && other.output == entry->output && other.measure == entry->measure;
    });
    if (train == nullptr) continue;
    const double nothing = entry->measure.is_ratio() ? 1 : 0;
    double most = 0;
    for (const ResultItem& other : both.results) {
      const auto* each = other.as<Importance>();
      if (each != nullptr && each->group == fitted_to && each->output == entry->output &&
          each->measure == entry->measure)
        most = std::max(most, each->importance - nothing);
    }
    if (train->importance - nothing < matters * most) continue;
    if (clearly_more(train->importance - nothing, entry->importance - nothing, train->se, entry->se,
                     clear_share_of_importance))
      found.push_back({entry, train});
  }
  if (found.empty()) return;
  std::stable_sort(found.begin(), found.end(), [](const Inflated& a, const Inflated& b) { return a.gap() > b.gap(); });
  Value features = Value::array(), numbers = Value::array();
  std::string text;
  std::vector<std::string> named;
  for (const Inflated& each : found) {
    const bool known = std::find(named.begin(), named.end(), each.test->feature) != named.end();
    if (!known) {
      named.push_back(each.test->feature);
      features.push_back(Value::object({{"feature", each.test->feature}}));
    }
    numbers.push_back(Value::object({{"feature", each.test->feature},
                                     {"measure", each.test->measure.text()},
                                     {"training", each.train->importance},
                                     {"test", each.test->importance}}));
    if (!known && named.size() <= most_named) {
      text += (text.empty() ? "" : ", ") + printable(each.test->feature, 60) + " (" +
              number_text(each.train->importance) + " instead of " + number_text(each.test->importance) + ")";
    }
  }
  if (named.size() > most_named) text += " and " + std::to_string(named.size() - most_named) + " more";
  both.caveats.insert(
      both.caveats.begin(),
      {.id = "training-importance",
       .severity = Severity::caution,
       .message = "matters more on the training data than on the test data: " + text +
                  "; part of it was learnt by heart and does not hold elsewhere",
       .evidence = Value::object({{"features", std::move(features)}, {"importances", std::move(numbers)}}),
       .advice = "believe the test data"});
}

}  // namespace

TrainingTables::TrainingTables(const Source& source, const std::string& place, std::shared_ptr<const Table> table,
                               const Value& options, const Context& context) {
  if (table == nullptr) table = read_table(place, "train_data", context);
  const Table* in_memory = source.table();
  const std::shared_ptr<const Table> data = in_memory != nullptr
                                                ? std::shared_ptr<const Table>(std::shared_ptr<const void>(), in_memory)
                                                : std::make_shared<const Table>(Table::load(source, &context));
  both_ = with_new_rows(data, *table, "train_data");
  const auto require = [&](std::uint32_t column, const char* what) {
    if (!std::binary_search(both_.rows->absent.begin(), both_.rows->absent.end(), column)) return;
    throw Error(ErrorKind::data,
                option_name("train_data") + ": the table has no column " + printable(data->schema()[column].name, 60) +
                    ", which holds the " + what,
                "it needs the columns of the data");
  };
  const Value* target = options.find("target");
  if (target != nullptr && target->is_string() && !target->as_string().empty())
    require(data->schema().require(target->as_string(), option_name("target")), "target");
  training_ = both_.rows->table.with_first_row(0);
  const auto weights = data->weight_column();
  if (!weights) return;
  require(*weights, "weights");
  training_ = training_.with_weights(*weights);
}

void TrainingTables::add_seen_rows(const Model& model, const std::string& target, Result& both) const {
  const Schema& schema = data().schema();
  std::vector<std::uint32_t> columns = model.bind(schema, data().not_features(target, "target"))->columns();
  columns.push_back(schema.require(target, "target"));
  const std::vector<std::uint64_t> test = row_digests(data(), columns);
  std::vector<std::uint64_t> train = row_digests(training_, columns);
  std::sort(train.begin(), train.end());
  const auto seen = static_cast<std::size_t>(std::count_if(test.begin(), test.end(), [&](std::uint64_t digest) {
    return std::binary_search(train.begin(), train.end(), digest);
  }));
  std::size_t alike = 0;
  for (std::size_t i = 0; i < train.size(); ++i) {
    const bool before = i > 0 && train[i - 1] == train[i], after = i + 1 < train.size() && train[i + 1] == train[i];
    alike += before || after ? 1 : 0;
  }
  const auto rows = static_cast<double>(test.size()), of = static_cast<double>(train.size());
  const double share = static_cast<double>(seen) / rows, chance = static_cast<double>(alike) / of;
  const double spread = std::sqrt(chance * (1 - chance) * (1 / rows + 1 / of));
  if (seen < least_seen || share - chance <= clear_share_of_seen || share - chance <= seen_beyond_chance * spread)
    return;
  both.caveats.insert(
      both.caveats.begin(),
      {.id = "seen-rows",
       .severity = Severity::caution,
       .message = std::to_string(seen) + " of the " + std::to_string(test.size()) + " rows of the " + judged_on +
                  " are rows of the " + fitted_to + ": what the model learnt by heart looks like skill",
       .evidence = Value::object({{"rows", seen},
                                  {"available", test.size()},
                                  {"share_by_chance", chance},
                                  {"threshold", chance + clear_share_of_seen}}),
       .advice = "judge the model by rows that it has not seen"});
}

void add_overfitting(Result& both) {
  add_importances(both);
  add_figures(both);
}

}  // namespace sightglass
