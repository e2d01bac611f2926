// Takes the stages of a chain as whoever divides the work does: part by part, each partial saved and loaded before it
// is merged.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "sightglass/methods/run/session.h"

namespace sightglass::testing {

template <class T>
struct Taken {
  std::optional<T> value;
  std::size_t stages = 0;
};

// What the last stage leads to, and how many there were. map(stage, part, partial) adds a part of the data to a
// partial, answer(question) asks the model.
template <class Map, class Answer>
std::pair<Result, std::size_t> take_stages(Next next, const std::vector<Table>& parts, const Map& map,
                                           const Answer& answer) {
  std::size_t stages = 0;
  while (!std::holds_alternative<Result>(next)) {
    if (const auto* question = std::get_if<std::unique_ptr<Question>>(&next)) {
      Next after = (*question)->next(answer(**question));
      next = std::move(after);
      continue;
    }
    ++stages;
    const auto* stage = std::get_if<std::unique_ptr<Stage>>(&next);
    const auto merged = (*stage)->empty();
    for (const Table& part : parts) {
      const auto partial = (*stage)->empty(), loaded = (*stage)->empty();
      map(**stage, part, *partial);
      ByteSink sink;
      partial->save(sink);
      ByteSource source(sink.bytes());
      loaded->load(source);
      EXPECT_TRUE(source.done());
      merged->merge(*loaded);
    }
    Next after = (*stage)->next(*merged);
    next = std::move(after);
  }
  return {std::get<Result>(std::move(next)), stages};
}

template <class T>
Taken<T> take_chain(Chain<T> chain, const std::vector<Table>& parts, Evaluator& evaluator, std::int64_t batch = 4096) {
  Taken<T> taken;
  Next first = std::move(chain).begin([&](T value) -> Next {
    taken.value = std::move(value);
    return Result{};
  });
  const auto map = [&](const Stage& stage, const Table& part, Partial& partial) {
    map_rows(stage, part, batch, evaluator, partial);
  };
  const auto answer = [&](const Question& question) { return question.ask(evaluator); };
  taken.stages = take_stages(std::move(first), parts, map, answer).second;
  return taken;
}

// The same of a method, from its start to its result.
inline Result take_method(const RunSession& session, const MethodEntry& entry, const Value& own_options,
                          const std::vector<Table>& parts) {
  MethodRun run(session, entry, own_options, session.options().scale);
  const auto map = [&](const Stage& stage, const Table& part, Partial& partial) { run.map(stage, part, partial); };
  const auto answer = [&](const Question& question) { return run.answer(question); };
  Result result = take_stages(run.start(), parts, map, answer).first;
  run.finish(result);
  return result;
}

}  // namespace sightglass::testing
