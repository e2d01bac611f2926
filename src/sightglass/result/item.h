// One item of a result: a value of any shape (shapes/), which only those who know the shape look into. It is open:
// a new shape is not named here.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace sightglass {

// What every shape has: its name in JSON, the model's output and the group of rows that it is about.
template <class Shape>
concept ResultShape = std::copyable<Shape> && requires(Shape& shape) {
  { Shape::type } -> std::convertible_to<std::string_view>;
  { shape.output } -> std::same_as<std::string&>;
  { shape.group } -> std::same_as<std::string&>;
};

class ResultItem {
 public:
  template <ResultShape Shape>
  ResultItem(Shape shape) : held_(std::make_unique<Held<Shape>>(std::move(shape))) {}
  ResultItem(const ResultItem& other) : held_(other.held_->copy()) {}
  ResultItem(ResultItem&&) noexcept = default;
  ResultItem& operator=(const ResultItem& other) {
    held_ = other.held_->copy();
    return *this;
  }
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

 private:
  struct AnyShape {
    virtual ~AnyShape() = default;
    [[nodiscard]] virtual std::unique_ptr<AnyShape> copy() const = 0;
    [[nodiscard]] virtual const std::type_info& shape() const = 0;
    [[nodiscard]] virtual std::string_view type() const = 0;
    [[nodiscard]] virtual const std::string& output() const = 0;
    [[nodiscard]] virtual const std::string& group() const = 0;
    virtual void set_group(std::string group) = 0;
  };

  template <class Shape>
  struct Held final : AnyShape {
    explicit Held(Shape shape) : value(std::move(shape)) {}
    [[nodiscard]] std::unique_ptr<AnyShape> copy() const override { return std::make_unique<Held>(value); }
    [[nodiscard]] const std::type_info& shape() const override { return typeid(Shape); }
    [[nodiscard]] std::string_view type() const override { return Shape::type; }
    [[nodiscard]] const std::string& output() const override { return value.output; }
    [[nodiscard]] const std::string& group() const override { return value.group; }
    void set_group(std::string group) override { value.group = std::move(group); }

    Shape value;
  };

  std::unique_ptr<AnyShape> held_;
};

}  // namespace sightglass
