// The shape of a learner: what it is told, what it finds, and its entry in the catalogue. What is found is a structure
// (model/learned/), from which the same code makes the model whether it was fitted now or read from a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/options.h"
#include "sightglass/base/value.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/result/caveat.h"
#include "sightglass/result/item.h"
#include "sightglass/result/method_info.h"

namespace sightglass {

// What a learner found.
struct Learned {
  Structure structure;
  LinkFunction link = {};
  std::uint64_t size = 0;              // in the unit of its entry: leaves, rules, terms
  std::vector<ResultItem> shown = {};  // how it explains itself: tree, terms, rules, curves, figures
  std::vector<Caveat> caveats = {};
  Value detail = Value::object();  // what `inspect` shows besides: chosen penalty, depth, …
};

struct LearnerEntry {
  std::string name, alias;
  MethodInfo about;
  std::string question;  // what it answers, in a user's words
  std::string when, when_not;
  std::string formula;
  std::string paper;
  std::string cost;
  std::string size_unit;             // "leaves"
  std::string size_option = {};      // the option by which its size is chosen; empty: none
  bool takes_numbers = true;         // takes outcomes that are numbers; all take classes
  std::vector<std::string> results;  // the shapes that it shows, as JSON calls them
  std::vector<OptionSpec> options;
  // Throws Error(usage) on options that make no sense, Error(data) where nothing can be learned.
  Learned (*fit)(const TrainingData& data, const Value& options, const Context& context) = nullptr;
};

}  // namespace sightglass
