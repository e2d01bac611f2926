// What whoever divides the work sees of a method: stages and partials. Each stage maps row blocks to a partial,
// partials merge exactly in any order, and the merged partial leads to the next stage or to the result. Threads,
// partitions and other processes run the same code. Between stages a method may have questions to the model, about rows
// that it made up itself: one process asks them, and none reads the data for it. Methods themselves are written as
// chains of passes (chain.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "sightglass/base/bytes.h"
#include "sightglass/base/matrix.h"
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
class Question;
using Next = std::variant<std::unique_ptr<Stage>, std::unique_ptr<Question>, Result>;

class Stage {
 public:
  virtual ~Stage() = default;
  // The columns that map() looks at, besides those the model needs.
  [[nodiscard]] virtual std::vector<std::uint32_t> columns() const = 0;
  // The only rows that map() looks at, by their index in all the data, ascending; nothing: all. It may be given others
  // beside them, where rows cannot be read one by one.
  [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> rows() const { return std::nullopt; }
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

// Which of two models a question is put to.
enum class AskedModel { explained, other };

// Rows of a method's own making that the model is asked about.
class Question {
 public:
  virtual ~Question() = default;
  [[nodiscard]] virtual std::size_t rows() const = 0;
  [[nodiscard]] virtual AskedModel asked() const { return AskedModel::explained; }
  // Their predictions, rows × outputs of the model that is asked. Called from the thread that started the work.
  [[nodiscard]] virtual Matrix ask(Evaluator& evaluator) const = 0;
  // What follows from the predictions.
  [[nodiscard]] virtual Next next(Matrix predictions) const = 0;
};

}  // namespace sightglass
