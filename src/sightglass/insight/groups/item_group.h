// Some items of a result, all of one shape, that belong into one picture. It is open: what a group holds besides its
// items (what the lines of a chart differ in, which row is shown) is known to those who know that kind of group only.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sightglass/result/item.h"
#include "sightglass/result/shapes/axis.h"

namespace sightglass {

class LevelPlan;

// What every kind of group tells.
class AnyGroup {
 public:
  virtual ~AnyGroup() = default;

  // Which levels of categorical features are drawn (shown_levels.h); null: the first.
  std::shared_ptr<const LevelPlan> levels;

  // The shape's name, as in JSON.
  [[nodiscard]] virtual std::string_view type() const = 0;
  // "temp (°C)", "Interactions"; by default after its axes.
  [[nodiscard]] virtual std::string title() const;
  // What all of it has in common, else nothing: the output, the group of rows.
  [[nodiscard]] virtual std::string output() const = 0;
  [[nodiscard]] virtual std::string rows() const = 0;
  // What else sets it apart from others with the same title: "pairs of features".
  [[nodiscard]] virtual std::string qualifier() const { return {}; }
  // None for rankings, figures and shapes that have no axis.
  [[nodiscard]] virtual std::vector<const Axis*> axes() const { return {}; }
  // There is nothing to draw; by default, where an axis has not a single point.
  [[nodiscard]] virtual bool is_empty() const;
  // Numbers about the whole are read first.
  [[nodiscard]] virtual bool comes_first() const { return false; }

 protected:
  AnyGroup() = default;
  AnyGroup(const AnyGroup&) = default;
  AnyGroup& operator=(const AnyGroup&) = default;
};

// Items that need nothing but themselves: one, or those that share a picture because they have the same
// item_picture_key().
struct PlainItems : AnyGroup {
  std::vector<const ResultItem*> items;

  [[nodiscard]] std::string_view type() const override { return items[0]->type(); }
  [[nodiscard]] std::string title() const override;
  [[nodiscard]] std::string output() const override;
  [[nodiscard]] std::string rows() const override;
  [[nodiscard]] std::vector<const Axis*> axes() const override { return items[0]->axes(); }
};

class ItemGroup {
 public:
  template <std::derived_from<AnyGroup> Kind>
  ItemGroup(Kind group) : held_(std::make_shared<Kind>(std::move(group))) {}

  // Null if it is of another kind.
  template <std::derived_from<AnyGroup> Kind>
  [[nodiscard]] const Kind* as() const {
    return dynamic_cast<const Kind*>(held_.get());
  }
  // Functions about one kind of group can be given any; another kind throws std::bad_cast.
  template <std::derived_from<AnyGroup> Kind>
  operator const Kind&() const {
    return dynamic_cast<const Kind&>(*held_);
  }
  // Of plain items: the first, if it has the shape; else null.
  template <ResultShape Shape>
  [[nodiscard]] const Shape* item() const {
    const auto* plain = as<PlainItems>();
    return plain != nullptr ? plain->items[0]->as<Shape>() : nullptr;
  }

  // Of a group that nobody else has yet: copies share what they hold.
  void show_levels(std::shared_ptr<const LevelPlan> plan) { held_->levels = std::move(plan); }

  const AnyGroup* operator->() const { return held_.get(); }
  [[nodiscard]] std::string_view type() const { return held_->type(); }
  [[nodiscard]] std::vector<const Axis*> axes() const { return held_->axes(); }
  [[nodiscard]] bool is_empty() const { return held_->is_empty(); }

 private:
  std::shared_ptr<AnyGroup> held_;
};

// A group, and the place of its first item among those that were to be grouped.
struct PlacedGroup {
  std::size_t place = 0;
  ItemGroup group;
};

}  // namespace sightglass
