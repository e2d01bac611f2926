// One item of a result: a value of any shape (shapes/), which only those who know the shape look into. It is open:
// a new shape is not named here.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sightglass/base/dates.h"
#include "sightglass/result/named_row.h"
#include "sightglass/result/unread.h"

namespace sightglass {

struct Axis;
class Fields;
class TidyRows;

// What an item does with features, which decides what is to be said where features go together.
enum class FeatureUse { none, effect, single_rows, interaction, importance, attribution };

// The features that an item is about, for those who do not know its shape.
struct ItemFeatures {
  FeatureUse use = FeatureUse::none;
  std::vector<std::vector<std::string>> together;  // one list each of features that are changed together
};

// What every shape has: its name in JSON, the model's output and the group of rows that it is about, the description of
// its fields (fields.h), and its rows of a tidy table (tidy.h).
template <class Shape>
concept ResultShape = requires(Shape& shape, Fields& fields, TidyRows& rows) {
  { Shape::type } -> std::convertible_to<std::string_view>;
  { shape.output } -> std::same_as<std::string&>;
  { shape.group } -> std::same_as<std::string&>;
  describe_fields(shape, fields);
  tidy_rows(std::as_const(shape), rows);
} && std::copyable<Shape>;  // last: an item is no shape, and whether it can be copied is asked on the way to know that

class ResultItem {
 public:
  template <ResultShape Shape>
  ResultItem(Shape shape) : held_(std::make_unique<Held<Shape>>(std::move(shape))) {}
  ResultItem(const ResultItem& other) : held_(other.held_->copy()), unread_(other.unread_) {}
  ResultItem(ResultItem&&) noexcept = default;
  ResultItem& operator=(const ResultItem& other) { return *this = ResultItem(other); }
  ResultItem& operator=(ResultItem&&) noexcept = default;
  ~ResultItem() = default;

  template <class Shape>
  [[nodiscard]] bool is() const {
    return held_->shape() == typeid(Shape);
  }
  // Null if it has another shape.
  template <class Shape>
  [[nodiscard]] const Shape* as() const {
    return is<Shape>() ? &static_cast<const Held<Shape>&>(*held_).value : nullptr;
  }
  template <class Shape>
  [[nodiscard]] Shape* as() {
    return is<Shape>() ? &static_cast<Held<Shape>&>(*held_).value : nullptr;
  }
  // Throws std::bad_cast if it has another shape.
  template <class Shape>
  [[nodiscard]] const Shape& get() const {
    if (!is<Shape>()) throw std::bad_cast();
    return *as<Shape>();
  }
  template <class Shape>
  [[nodiscard]] Shape& get() {
    if (!is<Shape>()) throw std::bad_cast();
    return *as<Shape>();
  }

  // The shape's name in JSON.
  [[nodiscard]] std::string_view type() const { return held_->type(); }
  [[nodiscard]] const std::string& output() const { return held_->output(); }
  [[nodiscard]] const std::string& group() const { return held_->group(); }
  void set_group(std::string group) { held_->set_group(std::move(group)); }

  // What a picture of it alone is called: item_title(shape) where there is one, else the shape's name in words.
  [[nodiscard]] std::string title() const { return held_->title(); }

  // What else a shape may say of itself, each by a function beside it; by default nothing.
  // item_picture_key(shape): items with the same key share a picture.
  [[nodiscard]] std::optional<std::string> picture_key() const { return held_->picture_key(); }
  // item_axes(shape): what its picture is drawn along.
  [[nodiscard]] std::vector<const Axis*> axes() const { return held_->axes(); }
  // item_features(shape): what caveats are about.
  [[nodiscard]] ItemFeatures features() const { return held_->features(); }

  // item_set_dates(shape): it shows values of features, some of which are dates.
  void set_dates(const Dates& dates) { held_->set_dates(dates); }
  // show_rows(shape, visit): the rows that it names.
  void each_row(const RowVisitor& visit) { held_->each_row(visit); }

  // For Fields that only look.
  void describe(Fields& fields) const { held_->describe(fields); }
  void tidy(TidyRows& rows) const { held_->tidy(rows); }

  // What it came with that its shape does not know; null: nothing.
  [[nodiscard]] const Unread* unread() const { return unread_.get(); }
  void set_unread(Unread unread) { unread_ = std::make_shared<const Unread>(std::move(unread)); }

 private:
  struct AnyShape {
    virtual ~AnyShape() = default;
    [[nodiscard]] virtual std::unique_ptr<AnyShape> copy() const = 0;
    [[nodiscard]] virtual const std::type_info& shape() const = 0;
    [[nodiscard]] virtual std::string_view type() const = 0;
    [[nodiscard]] virtual const std::string& output() const = 0;
    [[nodiscard]] virtual const std::string& group() const = 0;
    virtual void set_group(std::string group) = 0;
    [[nodiscard]] virtual std::string title() const = 0;
    [[nodiscard]] virtual std::optional<std::string> picture_key() const = 0;
    [[nodiscard]] virtual std::vector<const Axis*> axes() const = 0;
    [[nodiscard]] virtual ItemFeatures features() const = 0;
    virtual void set_dates(const Dates& dates) = 0;
    virtual void each_row(const RowVisitor& visit) = 0;
    virtual void describe(Fields& fields) = 0;
    virtual void tidy(TidyRows& rows) const = 0;
  };

  template <class Shape>
  struct Held final : AnyShape {
    explicit Held(Shape shape) : value(std::move(shape)) {}
    [[nodiscard]] std::unique_ptr<AnyShape> copy() const override { return std::make_unique<Held>(value); }
    [[nodiscard]] const std::type_info& shape() const override { return typeid(Shape); }
    [[nodiscard]] std::string_view type() const override {
      // Items of a shape that this version does not know keep the name that they came with.
      if constexpr (requires { value.type_in_file; }) {
        return value.type_in_file;
      } else {
        return Shape::type;
      }
    }
    [[nodiscard]] const std::string& output() const override { return value.output; }
    [[nodiscard]] const std::string& group() const override { return value.group; }
    void set_group(std::string group) override { value.group = std::move(group); }
    [[nodiscard]] std::string title() const override {
      if constexpr (requires { item_title(value); }) {
        return item_title(value);
      } else {
        return words_of(type());
      }
    }
    [[nodiscard]] std::optional<std::string> picture_key() const override {
      if constexpr (requires { item_picture_key(value); }) return item_picture_key(value);
      return std::nullopt;
    }
    [[nodiscard]] std::vector<const Axis*> axes() const override {
      if constexpr (requires { item_axes(value); }) return item_axes(value);
      return {};
    }
    [[nodiscard]] ItemFeatures features() const override {
      if constexpr (requires { item_features(value); }) return item_features(value);
      return {};
    }
    void set_dates([[maybe_unused]] const Dates& dates) override {
      if constexpr (requires { item_set_dates(value, dates); }) item_set_dates(value, dates);
    }
    void each_row(const RowVisitor& visit) override {
      if constexpr (requires { show_rows(value, visit); }) show_rows(value, visit);
    }
    void describe(Fields& fields) override { describe_fields(value, fields); }
    void tidy(TidyRows& rows) const override { tidy_rows(value, rows); }

    Shape value;
  };

  // "marked_text" as "Marked text".
  [[nodiscard]] static std::string words_of(std::string_view type);

  std::unique_ptr<AnyShape> held_;
  std::shared_ptr<const Unread> unread_;
};

}  // namespace sightglass
