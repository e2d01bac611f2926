#include "sightglass/result/tidy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "sightglass/result/result.h"

namespace sightglass {

const TableKind ranking_table{
    .priority = 10,
    .columns = {"feature", "feature_2", "feature_3", "measure", "importance", "strength", "h2", "h", "se", "rank",
                "features", "output", "group", "series", "sd", "low", "high"},
    .always = {"feature"},
    .ranked = true};
const TableKind effect_table{
    .priority = 20,
    .columns = {"feature",    "value", "feature_2", "value_2", "output", "group",       "series",   "row",
                "prediction", "mean",  "effect",    "loss",    "slope",  "sd",          "se_level", "se_shape",
                "se",         "count", "bin_count", "outside", "sparse", "extrapolated"},
    .hidden = {"measure"},
    .always = {"feature", "value", "output"}};

namespace {

using Cell = TidyFrame::Cell;

Cell scalar(const Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_integer()) return value.as_integer();
  if (value.is_number()) return value.as_number();
  if (!value.is_string()) return {};
  // Numbers that JSON cannot hold are numbers again.
  const std::string& text = value.as_string();
  if (text == "NaN") return std::nan("");
  if (text == "Infinity") return INFINITY;
  if (text == "-Infinity") return -INFINITY;
  return text;
}

// Keeps the rows of the kind of table that comes first, column by column: a column ends at its last cell that is set.
class FrameRows final : public TidyRows {
 public:
  [[nodiscard]] const TableKind* kind() const { return kind_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::map<std::string, std::vector<Cell>, std::less<>>& columns() const { return columns_; }
  [[nodiscard]] bool is_mark(std::string_view column) const { return marks_.contains(column); }
  [[nodiscard]] const Cell& at(std::string_view column, std::size_t row) const {
    static const Cell nothing;
    const auto found = columns_.find(column);
    return found != columns_.end() && row < found->second.size() ? found->second[row] : nothing;
  }

 private:
  void start(const TableKind& kind) override {
    wanted_ = kind_ == nullptr || kind_ == &kind || kind.priority < kind_->priority;
    if (!wanted_) return;
    if (kind_ != &kind) {
      columns_.clear();
      rows_ = 0;
    }
    kind_ = &kind;
    ++rows_;
  }
  void take(std::string_view column, const TidyCell& cell) override {
    if (!wanted_) return;
    if (const auto* value = std::get_if<const Value*>(&cell)) {
      spread(column, **value);
    } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
      put(column, std::string(*text));
    } else if (const auto* number = std::get_if<double>(&cell)) {
      put(column, *number);
    } else if (const auto* whole = std::get_if<std::uint64_t>(&cell)) {
      put(column, static_cast<std::int64_t>(*whole));
    } else if (const auto* date = std::get_if<TidyDate>(&cell)) {
      put(column, *date);
    } else if (const auto* flag = std::get_if<bool>(&cell)) {
      put(column, *flag);
    } else if (const auto* mark = std::get_if<TidyMark>(&cell)) {
      put(column, mark->on);
      marks_.emplace(column);
    }
  }
  // Several names as one text; what else was measured as columns that cannot be taken for others. Lists of numbers are
  // only in the JSON.
  void spread(std::string_view column, const Value& value) {
    if (value.is_array() && value.as_array().size() > 1) {
      std::string names;
      const char* between = "";
      for (const auto& name : value.as_array()) {
        if (!name.is_string()) continue;
        names += between + name.as_string();
        between = ", ";
      }
      put(column, names);
    }
    if (!value.is_object()) return;
    for (const auto& [name, member] : value.as_object()) {
      if (member.is_array() || member.is_object()) continue;
      put(name == "rank" ? name : std::string(column) + "." + name, scalar(member));
    }
  }
  void put(std::string_view column, Cell cell) {
    auto found = columns_.find(column);
    if (found == columns_.end()) found = columns_.emplace(column, std::vector<Cell>()).first;
    found->second.resize(rows_ - 1);
    found->second.push_back(std::move(cell));
  }

  const TableKind* kind_ = nullptr;
  bool wanted_ = false;
  std::size_t rows_ = 0;
  std::map<std::string, std::vector<Cell>, std::less<>> columns_;
  std::set<std::string, std::less<>> marks_;
};

double number_of(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  return std::nan("");
}

bool is_set(const Cell& cell) { return !std::holds_alternative<std::monostate>(cell); }

struct Order {
  std::vector<std::size_t> rows;
  std::vector<std::int64_t> rank;  // per row in this order, where it is a ranking
};

// Most important first, one ranking after the other; what cannot be compared comes last.
Order ranked(const FrameRows& table) {
  using RankingKey = std::tuple<Cell, Cell, Cell, Cell, int>;
  struct Place {
    std::size_t ranking;
    bool unknown;
    double size, rank;
  };
  std::map<RankingKey, std::size_t> rankings;
  std::vector<Place> places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const RankingKey key{table.at("measure", row), table.at("output", row), table.at("group", row),
                         table.at("series", row),
                         (is_set(table.at("feature_2", row)) ? 1 : 0) + (is_set(table.at("feature_3", row)) ? 1 : 0)};
    const Cell& importance = table.at("importance", row);
    const double size = number_of(is_set(importance) ? importance : table.at("strength", row));
    const double known_rank = number_of(table.at("rank", row));
    places.push_back({rankings.try_emplace(key, rankings.size()).first->second, std::isnan(size),
                      std::isnan(size) ? 0 : -size, std::isnan(known_rank) ? 0 : known_rank});
  }
  Order order;
  order.rows.resize(table.rows());
  std::iota(order.rows.begin(), order.rows.end(), std::size_t{0});
  const auto key = [&](std::size_t row) {
    const Place& place = places[row];
    return std::tuple(place.ranking, place.unknown, place.size, place.rank);
  };
  std::stable_sort(order.rows.begin(), order.rows.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<std::int64_t> above(rankings.size());
  for (const std::size_t row : order.rows) order.rank.push_back(++above[places[row].ranking]);
  return order;
}

// Texts that are empty, and marks that are nowhere, tell nothing.
bool tells(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return !text->empty();
  return is_set(cell);
}

}  // namespace

std::string tidy_text(const TidyDate& date) {
  DateKind kind = date.kind;
  kind.detail = std::max(kind.detail, detail_of(kind.unit, date.number));
  return date_text(kind, date.number);
}

TidyFrame tidy_frame(const Result& result, std::string_view type) {
  std::vector<const ResultItem*> items;
  for (const ResultItem& item : result.results) {
    if (type.empty() || item.type() == type) items.push_back(&item);
  }
  return tidy_frame(items);
}

TidyFrame tidy_frame(const std::vector<const ResultItem*>& items) {
  FrameRows table;
  for (const ResultItem* item : items) item->tidy(table);
  TidyFrame frame;
  if (table.kind() == nullptr) return frame;
  const TableKind& kind = *table.kind();
  Order order;
  if (kind.ranked) {
    order = ranked(table);
  } else {
    order.rows.resize(table.rows());
    std::iota(order.rows.begin(), order.rows.end(), std::size_t{0});
  }
  std::vector<std::string> names(kind.columns.begin(), kind.columns.end());
  for (const auto& [name, cells] : table.columns()) {
    const bool listed = std::find(names.begin(), names.end(), name) != names.end();
    const bool hidden = name == "type" || std::find(kind.hidden.begin(), kind.hidden.end(), name) != kind.hidden.end();
    if (!listed && !hidden) names.push_back(name);
  }
  for (const std::string& name : names) {
    TidyFrame::Column column{name, {}};
    bool kept = std::find(kind.always.begin(), kind.always.end(), name) != kind.always.end();
    for (std::size_t i = 0; i < order.rows.size(); ++i) {
      Cell cell = table.at(name, order.rows[i]);
      if (kind.ranked && name == "rank" && !is_set(cell)) cell = order.rank[i];
      kept = kept || (table.is_mark(name) ? cell == Cell(true) : tells(cell));
      column.cells.push_back(std::move(cell));
    }
    if (kept) frame.columns.push_back(std::move(column));
  }
  return frame;
}

}  // namespace sightglass
