// What whoever divides the work sees of a method: stages and partials. Each stage maps row blocks to a partial,
// partials merge exactly in any order, and the merged partial leads to the next stage or to the result. Threads,
// partitions and other processes run the same code. Methods themselves are written as chains of passes (chain.h).
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "sightglass/base/bytes.h"
#include "sightglass/data/source.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/result/result.h"

namespace sightglass {

// What was learned from some of the rows. Merging is exact: associative, commutative, bit for bit.
class Partial {
 public:
  virtual ~Partial() = default;
  virtual void merge(const Partial& other) = 0;
  virtual void save(ByteSink& sink) const = 0;
  // Replaces the contents by what save() wrote; throws Error(data) if the bytes do not fit.
  virtual void load(ByteSource& source) = 0;
};

class Stage;
using Next = std::variant<std::unique_ptr<Stage>, Result>;

class Stage {
 public:
  virtual ~Stage() = default;
  // The columns that map() looks at, besides those the model needs.
  [[nodiscard]] virtual std::vector<std::uint32_t> columns() const = 0;
  // Whether map() asks the model; if not, the model's columns need not be read.
  [[nodiscard]] virtual bool needs_model() const = 0;
  // Model rows that map() will ask for, per data row: for progress.
  [[nodiscard]] virtual std::uint64_t cost_per_row() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Partial> empty() const = 0;
  // Adds a block to a partial. Called from one thread; may use the evaluator and its context's threads.
  virtual void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const = 0;
  // What follows from all rows together.
  [[nodiscard]] virtual Next next(const Partial& merged) const = 0;
};

}  // namespace sightglass
