// A method on its way, as bytes: what it is, about which model and data, and what its passes found so far. From these
// any process that has the same model makes the same next stage, works on its part of the rows and hands back bytes;
// nothing but bytes needs to travel. Whoever divides the work goes round:
//   parts  = for each part of the data, anywhere:  WorkOnJob(job, model, part, context).map(part)
//   next   = anywhere:                             WorkOnJob(job, model, part, context).next(parts)
// until there is a result. The parts may come in any order; every row of the data is in exactly one of them.
//
// Questions that a method has between two passes (chain.h) are asked by next(), in the process that merges, once. Their
// answers travel in the job: were they asked again in every process, each would pay for them, and a model that answers
// a little differently elsewhere (another processor, another batch) would send the processes different ways without a
// word. Answers that only the result needs are not kept. The others may take most_answer_bytes; a method that needs
// more of them for its next pass must ask about fewer rows. A job without a model is one about no_model().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sightglass/methods/run/session.h"

namespace sightglass {

// Of the answers that a job carries.
inline constexpr std::size_t most_answer_bytes = std::size_t{64} << 20;

class Job {
 public:
  // known: the methods among which the job's is found by its name. options: as run() takes them. Throws Error(usage) on
  // a name that neither the run nor the method knows, and if the method needs a model that is not there.
  Job(std::string_view method, const Value& options, const Model& model, const Schema& schema, DataFacts facts,
      const std::vector<MethodEntry>& known = methods());

  // load() throws Error(data) on bytes that are no job, that are damaged, or of another version.
  [[nodiscard]] std::string save() const;
  [[nodiscard]] static Job load(std::string_view bytes);

  // How many steps are done: passes, and questions to the model.
  [[nodiscard]] std::size_t stage() const { return found_.size(); }
  [[nodiscard]] const DataFacts& facts() const { return facts_; }

 private:
  friend class WorkOnJob;
  Job() = default;
  // Of all that decides what the next stage is.
  [[nodiscard]] std::uint64_t digest() const;

  std::string version_, method_, options_;  // options: JSON
  std::string model_, schema_;              // fingerprints
  DataFacts facts_;
  std::vector<std::string> found_;  // the partial of each pass that is done, the answer to each question
};

// A job in this process, replayed to its next stage. Model, part, context and known methods must outlive it.
class WorkOnJob {
 public:
  // part: some of the rows, at least one; its schema is that of all. Throws Error(data) if the schema or the version
  // are not those of the job, Error(model) if the model is not.
  WorkOnJob(const Job& job, const Model& model, const Source& part, Context& context,
            const std::vector<MethodEntry>& known = methods());

  // What the next pass keeps of a part of the rows.
  [[nodiscard]] std::string map(const Source& part) const;
  // What several of these are together: for merging as a tree.
  [[nodiscard]] std::string merge(std::span<const std::string> parts) const;
  // What follows from all parts together, and from what the model answers where the method asks. Throws Error(data) on
  // parts of another job or stage, on damaged ones, and if they do not hold as many rows as the data have.
  [[nodiscard]] std::variant<Job, Result> next(std::span<const std::string> parts) const;

 private:
  struct Part {
    std::uint64_t rows = 0;
    std::unique_ptr<Partial> partial;
  };
  [[nodiscard]] std::string wrap(std::uint64_t rows, const Partial& partial) const;
  [[nodiscard]] Part merged(std::span<const std::string> parts) const;

  Job job_;
  std::uint64_t digest_;
  std::size_t answer_bytes_ = 0;  // that the job carries
  std::unique_ptr<RunSession> session_;
  std::unique_ptr<MethodRun> run_;
  std::unique_ptr<Stage> stage_;
};

}  // namespace sightglass
