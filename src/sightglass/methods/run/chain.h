// A method is a chain of passes over the rows, written in the order in which they happen:
//   return find_grids(input, requests)
//       .then([=](std::vector<FeatureGrid> grids) { return order_levels(input, std::move(grids)); })
//       .then([=](OrderedGrids grids) { return result_of(grids); });
// A step that needs no rows of the data but predictions of rows that the method makes up itself is a question,
//   return ask(neighbours_of(row)).then([=](const Matrix& predictions) { return fitted(predictions); });
// and a method that asks in rounds has a function that returns ask(…).then(…) with itself inside, until it knows
// enough: the rounds do not nest. Making a chain does no pass and asks nothing: that is for whoever takes its stages
// (stage.h), one after the other.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sightglass/methods/run/made_rows.h"
#include "sightglass/methods/run/stage.h"
#include "sightglass/methods/run/sums.h"

namespace sightglass {

// One pass over the rows. Sums: what it keeps of them, which merges exactly (sums.h). Found: what follows from the sums
// of all rows.
template <class Sums, class Found>
class Pass {
 public:
  using SumsType = Sums;
  using FoundType = Found;

  virtual ~Pass() = default;
  // As in Stage.
  [[nodiscard]] virtual std::vector<std::uint32_t> columns() const = 0;
  [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> rows() const { return std::nullopt; }
  [[nodiscard]] virtual bool needs_model() const = 0;
  [[nodiscard]] virtual std::uint64_t cost_per_row() const { return 0; }
  [[nodiscard]] virtual Sums empty() const = 0;
  virtual void map(const RowBlock& block, Sums& sums, Evaluator& evaluator) const = 0;
  [[nodiscard]] virtual Found find(const Sums& sums) const = 0;
};

// What comes of a chain of passes: known at once, or after the last of them.
template <class T>
class Chain {
 public:
  using ValueType = T;
  // What is done with the value.
  using Continuation = std::function<Next(T)>;

  // Known at once.
  Chain(T value)  // NOLINT(google-explicit-constructor): what needs no pass may be returned as it is
      : value_(std::move(value)) {}
  explicit Chain(std::function<Next(Continuation)> begin) : begin_(std::move(begin)) {}

  // use(value) makes another chain, or the next value itself.
  template <class Use>
  [[nodiscard]] auto then(Use use) && {
    using Made = std::invoke_result_t<const Use&, T>;
    if constexpr (requires(const Made& made) { Chain<typename Made::ValueType>(made); }) {
      using U = typename Made::ValueType;
      return Chain<U>([self = std::move(*this), use = std::move(use)](typename Chain<U>::Continuation next) -> Next {
        return self.begin([use, next = std::move(next)](T value) -> Next { return use(std::move(value)).begin(next); });
      });
    } else {
      return Chain<Made>(
          [self = std::move(*this), use = std::move(use)](typename Chain<Made>::Continuation next) -> Next {
            return self.begin([use, next = std::move(next)](T value) -> Next { return next(use(std::move(value))); });
          });
    }
  }

  // The first stage, or what `then` makes of a value that needs none.
  [[nodiscard]] Next begin(Continuation then) && { return value_ ? then(std::move(*value_)) : begin_(std::move(then)); }
  [[nodiscard]] Next begin(Continuation then) const& { return value_ ? then(*value_) : begin_(std::move(then)); }

 private:
  std::optional<T> value_;
  std::function<Next(Continuation)> begin_;
};

// The stages of a chain that ends in a result.
[[nodiscard]] inline Next begin(Chain<Result> chain) {
  return std::move(chain).begin([](Result result) -> Next { return result; });
}

// A pass as a stage: the only place that knows which partials belong to which pass.
template <class Sums, class Found>
class PassStage : public Stage {
 public:
  PassStage(std::shared_ptr<const Pass<Sums, Found>> pass, typename Chain<Found>::Continuation then)
      : pass_(std::move(pass)), then_(std::move(then)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return pass_->columns(); }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> rows() const override { return pass_->rows(); }
  [[nodiscard]] bool needs_model() const override { return pass_->needs_model(); }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return pass_->cost_per_row(); }
  [[nodiscard]] std::unique_ptr<Partial> empty() const override { return std::make_unique<Kept>(pass_->empty()); }
  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    pass_->map(block, sums_of(partial), evaluator);
  }
  [[nodiscard]] Next next(const Partial& merged) const override { return then_(pass_->find(sums_of(merged))); }

 private:
  struct Kept : Partial {
    explicit Kept(Sums empty) : sums(std::move(empty)) {}
    void merge(const Partial& other) override { merge_sums(sums, sums_of(other)); }
    void save(ByteSink& sink) const override { save_sums(sums, sink); }
    void load(ByteSource& source) override { load_sums(sums, source); }
    Sums sums;
  };
  template <class AnyPartial>  // const or not
  static auto& sums_of(AnyPartial& partial) {
    using Own = std::conditional_t<std::is_const_v<AnyPartial>, const Kept, Kept>;
    auto* own = dynamic_cast<Own*>(&partial);
    if (own == nullptr) throw Error(ErrorKind::internal, "a partial result of another stage");
    return own->sums;
  }

  std::shared_ptr<const Pass<Sums, Found>> pass_;
  typename Chain<Found>::Continuation then_;
};

// One pass: over_rows<MarginalPass>(input, features).
template <class PassType, class... Arguments>
[[nodiscard]] Chain<typename PassType::FoundType> over_rows(Arguments&&... arguments) {
  using Sums = typename PassType::SumsType;
  using Found = typename PassType::FoundType;
  std::shared_ptr<const Pass<Sums, Found>> pass =
      std::make_shared<const PassType>(std::forward<Arguments>(arguments)...);
  return Chain<Found>([pass = std::move(pass)](typename Chain<Found>::Continuation then) -> Next {
    return std::make_unique<PassStage<Sums, Found>>(pass, std::move(then));
  });
}

// Made-up rows as a question.
class RowsQuestion : public Question {
 public:
  RowsQuestion(std::shared_ptr<const MadeRows> rows, AskedModel asked, Chain<Matrix>::Continuation then)
      : rows_(std::move(rows)), asked_(asked), then_(std::move(then)) {}

  [[nodiscard]] std::size_t rows() const override { return rows_->rows(); }
  [[nodiscard]] AskedModel asked() const override { return asked_; }
  [[nodiscard]] Matrix ask(Evaluator& evaluator) const override {
    Matrix predictions;
    evaluator.evaluate(rows_->block(), predictions);
    return predictions;
  }
  [[nodiscard]] Next next(Matrix predictions) const override { return then_(std::move(predictions)); }

 private:
  std::shared_ptr<const MadeRows> rows_;
  AskedModel asked_;
  Chain<Matrix>::Continuation then_;
};

// A model's predictions of made-up rows: rows × outputs. The other model must be there (MethodInput::other).
[[nodiscard]] inline Chain<Matrix> ask(MadeRows rows, AskedModel asked = AskedModel::explained) {
  return Chain<Matrix>(
      [rows = std::make_shared<const MadeRows>(std::move(rows)), asked](Chain<Matrix>::Continuation then) -> Next {
        return std::make_unique<RowsQuestion>(rows, asked, std::move(then));
      });
}

}  // namespace sightglass
