// Trees that a live Python object keeps in NumPy arrays, taken over array by array into a canonical ensemble.
// The package knows which attribute of which estimator holds what; here arrive plain arrays and a description.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bindings.h"
#include "buffer.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 30;

// An array of T with one or two dimensions, wherever its elements lie.
template <class T>
class ArrayOf {
 public:
  ArrayOf(nb::handle object, DType type, int dimensions, std::string_view what)
      : buffer_(object, Buffer::Access::read, what) {
    if (buffer_.type() != type || buffer_.dimensions() != dimensions)
      throw Error(ErrorKind::internal, std::string(what) + " of a tree have the wrong type or shape");
  }
  [[nodiscard]] std::size_t rows() const { return buffer_.length(0); }
  [[nodiscard]] std::size_t columns() const { return buffer_.length(1); }
  [[nodiscard]] T operator()(std::size_t row, std::size_t column = 0) const {
    const char* at = static_cast<const char*>(buffer_.data()) + static_cast<Py_ssize_t>(row) * buffer_.stride(0);
    if (column > 0) at += static_cast<Py_ssize_t>(column) * buffer_.stride(1);
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
  }

 private:
  Buffer buffer_;
};

template <class T>
T one_of(const std::string& name, std::initializer_list<std::pair<const char*, T>> known) {
  for (const auto& [spelled, value] : known) {
    if (name == spelled) return value;
  }
  throw Error(ErrorKind::internal, "unknown kind of trees: " + printable(name));
}

std::vector<std::string> texts(const Value& list) {
  std::vector<std::string> items;
  for (const Value& item : list.as_array()) items.push_back(item.as_string());
  return items;
}

class TreeBuilder {
 public:
  // Each leaf holds one value for its tree's output, or (vector_leaves) a value for every output.
  TreeBuilder(std::size_t outputs, bool vector_leaves) : outputs_(outputs), vector_leaves_(vector_leaves) {
    if (outputs == 0) throw Error(ErrorKind::model, "the trees have no outputs");
  }

  // One tree; its first node is the root. int64: left (-1: a leaf), right, feature, and the category set of a split
  // (-1: a number; None: all are). float64: threshold, cover, and value, which is n × outputs for vector leaves.
  // bool: missing_left (None: nothing goes left).
  void add(nb::handle left, nb::handle right, nb::handle feature, nb::handle threshold, nb::handle missing_left,
           nb::handle sets, nb::handle cover, nb::handle value, std::uint32_t output) {
    const ArrayOf<std::int64_t> lefts(left, DType::int64, 1, "children");
    const ArrayOf<std::int64_t> rights(right, DType::int64, 1, "children");
    const ArrayOf<std::int64_t> features(feature, DType::int64, 1, "features");
    const ArrayOf<double> thresholds(threshold, DType::float64, 1, "thresholds");
    const ArrayOf<double> covers(cover, DType::float64, 1, "covers");
    const ArrayOf<double> values(value, DType::float64, vector_leaves_ ? 2 : 1, "values");
    std::optional<ArrayOf<std::uint8_t>> missing;
    if (!missing_left.is_none()) missing.emplace(missing_left, DType::boolean, 1, "missing values");
    std::optional<ArrayOf<std::int64_t>> categories;
    if (!sets.is_none()) categories.emplace(sets, DType::int64, 1, "categories");

    const std::size_t count = lefts.rows();
    const bool same = rights.rows() == count && features.rows() == count && thresholds.rows() == count &&
                      covers.rows() == count && values.rows() == count && (!missing || missing->rows() == count) &&
                      (!categories || categories->rows() == count) && (!vector_leaves_ || values.columns() == outputs_);
    if (!same || count == 0) throw Error(ErrorKind::model, "a tree's arrays are of different lengths");
    const std::size_t first = parts_.nodes.size();
    if (count > most_nodes - first) throw Error(ErrorKind::model, "the trees have too many nodes");
    parts_.trees.push_back({.root = static_cast<std::uint32_t>(first), .output = output});
    parts_.nodes.resize(first + count);
    parts_.covers.resize(first + count);
    const auto child = [&](std::int64_t index) {
      if (index < 0 || static_cast<std::size_t>(index) >= count)
        throw Error(ErrorKind::model, "a tree has a child that does not exist");
      return static_cast<std::int32_t>(first + static_cast<std::size_t>(index));
    };
    for (std::size_t i = 0; i < count; ++i) {
      TreeNode& node = parts_.nodes[first + i];
      parts_.covers[first + i] = covers(i);
      if (lefts(i) < 0) {
        if (!vector_leaves_) {
          node.threshold = values(i);
          continue;
        }
        node.leaf = static_cast<std::int32_t>(parts_.leaf_values.size() / outputs_);
        for (std::size_t k = 0; k < outputs_; ++k) parts_.leaf_values.push_back(values(i, k));
        continue;
      }
      node.left = child(lefts(i));
      node.right = child(rights(i));
      node.feature = static_cast<std::int32_t>(std::clamp<std::int64_t>(features(i), -1, INT32_MAX));
      node.missing_left = missing && (*missing)(i) != 0;
      if (categories && (*categories)(i) >= 0) {
        node.categories = static_cast<std::int32_t>(std::clamp<std::int64_t>((*categories)(i), 0, INT32_MAX));
        node.categories_left = true;
      } else {
        node.threshold = thresholds(i);
      }
    }
  }

  // Category sets, one per row of 64-bit words; the number of the first.
  std::size_t add_categories(nb::handle words) {
    const ArrayOf<std::uint64_t> bits(words, DType::uint64, 2, "categories");
    const std::size_t first = parts_.category_sets.size();
    for (std::size_t row = 0; row < bits.rows(); ++row) {
      CategorySet set;
      for (std::size_t word = 0; word < bits.columns(); ++word) set.bits.push_back(bits(row, word));
      parts_.category_sets.push_back(std::move(set));
    }
    return first;
  }

  // The model; the builder is empty afterwards.
  ModelHandle finish(const nb::dict& description) {
    const Value about = value_from_python(description);
    const auto get = [&](const char* key) -> const Value& {
      const Value* value = about.find(key);
      if (value == nullptr) throw Error(ErrorKind::internal, std::string("the trees lack ") + key);
      return *value;
    };
    TreeEnsemble::Parts parts = std::move(parts_);
    parts_ = {};
    Signature& signature = parts.signature;
    signature.format = get("format").as_string();
    signature.version = get("version").as_string();
    signature.objective = get("objective").as_string();
    signature.task =
        one_of<Task>(get("task").as_string(),
                     {{"regression", Task::regression}, {"binary", Task::binary}, {"multiclass", Task::multiclass}});
    signature.outputs = texts(get("outputs"));
    signature.notes = texts(get("notes"));
    signature.detail = get("detail");
    const std::vector<std::string> names = texts(get("features"));
    const auto& levels = get("levels").as_array();  // for each feature null, or its categories
    if (levels.size() != names.size()) throw Error(ErrorKind::internal, "not one list of levels for each feature");
    for (std::size_t i = 0; i < names.size(); ++i) {
      signature.features.push_back({.name = names[i], .categorical = !levels[i].is_null(), .levels = {}});
      if (levels[i].is_null()) continue;
      signature.features.back().levels = texts(*levels[i].find("names"));
      signature.features.back().numeric_levels = levels[i].find("numbers")->as_bool();
    }
    parts.comparison =
        one_of<Comparison>(get("comparison").as_string(), {{"float32_less_equal", Comparison::float32_less_equal},
                                                           {"float64_less_equal", Comparison::float64_less_equal}});
    parts.link.link = one_of<Link>(get("link").as_string(), {{"identity", Link::identity},
                                                             {"logistic", Link::logistic},
                                                             {"softmax", Link::softmax},
                                                             {"exponential", Link::exponential},
                                                             {"negative_power", Link::negative_power}});
    parts.link.scale = get("scale").as_number();
    signature.has_margin = parts.link.link != Link::identity;
    for (const Value& base : get("base").as_array()) parts.base.push_back(base.as_number());
    parts.divisor = get("divisor").as_number();
    parts.unseen_is_missing = true;
    parts.refuses_missing = get("refuses_missing").as_bool();
    parts.refuses_infinite = get("refuses_infinite").as_bool();
    const nb::gil_scoped_release no_gil;
    return {std::make_shared<TreeEnsemble>(std::move(parts), get("where").as_string())};
  }

 private:
  TreeEnsemble::Parts parts_;
  std::size_t outputs_;
  bool vector_leaves_;
};

}  // namespace

void bind_trees(nb::module_& module) {
  nb::class_<TreeBuilder>(module, "TreeBuilder")
      .def(nb::init<std::size_t, bool>(), nb::arg("outputs"), nb::arg("vector_leaves"))
      .def("add", &TreeBuilder::add, nb::arg("left"), nb::arg("right"), nb::arg("feature"), nb::arg("threshold"),
           nb::arg("missing_left").none(), nb::arg("sets").none(), nb::arg("cover"), nb::arg("value"),
           nb::arg("output"))
      .def("add_categories", &TreeBuilder::add_categories, nb::arg("words"))
      .def("finish", &TreeBuilder::finish, nb::arg("description"));
}

}  // namespace sightglass
