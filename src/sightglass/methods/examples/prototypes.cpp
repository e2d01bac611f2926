#include "sightglass/methods/examples/prototypes.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/methods/examples/shown/chosen_rows.h"
#include "sightglass/methods/examples/shown/explained_examples.h"
#include "sightglass/methods/examples/shown/prototype_surrogate.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/methods/surrogates/fitting/surrogate_kinds.h"

namespace sightglass {

namespace {

constexpr std::uint64_t draw_stream = 0x7072'6f74'6f74;  // "protot"

struct Work {
  MethodInput input;
  PrototypesOptions options;
  std::vector<std::uint32_t> columns;  // by which rows are alike

  [[nodiscard]] bool has_model() const { return !input.outputs.empty(); }
};
using WorkPtr = std::shared_ptr<const Work>;

Result without_model(ChosenRows chosen) {
  Result result;
  result.caveats = std::move(chosen.caveats);
  result.results = std::move(chosen.figures);
  result.results.emplace_back(std::move(chosen.prototypes));
  if (!chosen.criticisms.rows.empty()) result.results.emplace_back(std::move(chosen.criticisms));
  return result;
}

Chain<Result> with_model(const WorkPtr& work, ChosenRows chosen, const TrueOutcomes& truths) {
  std::vector<std::uint64_t> rows;
  for (const Examples* each : {&chosen.prototypes, &chosen.criticisms}) {
    for (const Example& example : each->rows) rows.push_back(example.row);
  }
  const auto most = static_cast<std::size_t>(work->options.attributions);
  return explain_rows(work->input, std::move(rows), most > 0)
      .then(
          [work, most, truths, chosen = std::move(chosen)](const std::vector<AnsweredRow>& explained) -> Chain<Result> {
            ChosenRows said = chosen;
            add_explanations(work->input, explained, truths, most, said.prototypes);
            add_explanations(work->input, explained, truths, most, said.criticisms);
            if (work->options.surrogate.empty()) return without_model(std::move(said));
            return label_rows(work->input, 0).then([work, said](const LabelledRows& all) {
              Result result = without_model(said);
              add_surrogates(work->input, work->options, all, said.prototypes, result);
              return result;
            });
          });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  auto work = std::make_shared<Work>(Work{.input = input, .options = read_options<PrototypesOptions>(given)});
  const PrototypesOptions& options = work->options;
  work->columns = chosen_features(input, options.features);
  if (work->columns.empty()) throw Error(ErrorKind::data, "there is no column by which rows could be alike");
  if (!options.map.empty()) {
    if (options.map.size() != 2)
      throw Error(ErrorKind::usage, marked("{Option:map}: two features, please"), "leave it out for components");
    for (const std::uint32_t column : chosen_features(input, options.map, option_name("map"))) {
      if (input.schema[column].has_levels())
        throw Error(ErrorKind::usage,
                    marked("{Option:map}: ") + printable(input.schema[column].name, 60) + " has no numbers",
                    "name two features that are numbers");
    }
  }
  if (!options.surrogate.empty()) {
    (void)chosen_kinds(options.surrogate);
    if (!work->has_model())
      throw Error(ErrorKind::usage, marked("{Option:surrogate}: there is no model to be followed"),
                  marked("give {argument:model}"));
  }
  std::vector<std::uint32_t> columns = work->columns;
  const auto also = [&](std::uint32_t column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
  };
  if (input.target) also(*input.target);
  for (const std::string& name : options.map) also(input.schema.require(name, option_name("map")));
  const WorkPtr shared = work;
  return draw_rows(input, std::move(columns), static_cast<std::uint64_t>(options.use_rows), draw_stream)
      .then([shared](const RowSample& sample) -> Chain<Result> {
        if (sample.rows() == 0) throw Error(ErrorKind::data, "no row has weight");
        ChosenRows chosen = choose_rows(shared->input, shared->options, shared->columns, sample);
        if (!shared->has_model()) return without_model(std::move(chosen));
        return with_model(shared, std::move(chosen), TrueOutcomes(shared->input, sample));
      });
}

}  // namespace

MethodEntry prototypes() {
  MethodEntry entry;
  entry.name = "prototypes";
  entry.alias = "mmd-critic";
  entry.about = {.title = "Prototypes and criticisms", .short_name = "Prototypes", .family = Family::examples};
  entry.question = "Which rows stand for all others, and which rows do these not stand for?";
  entry.when = "people understand examples better than formulas, or the data themselves are to be understood";
  entry.when_not = "distance has no meaning for the features as they are: what counts as alike decides everything";
  entry.formula =
      "prototypes: min MMD² = 1/m² ΣΣ k(z, z') − 2/(mn) ΣΣ k(z, x) + 1/n² ΣΣ k(x, x'); criticisms: max Σ|witness| + "
      "log det K";
  entry.paper = "Kim, Khanna & Koyejo 2016, Examples are not enough, learn to criticize!";
  entry.scopes = {Scope::global, Scope::modular};
  entry.results = {"examples", "figure", "fidelity", "tree", "rules", "terms", "curve"};
  entry.expresses = "rows of the data, and how much of their distribution these hold";
  entry.cost =
      "half the pairs of rows; with a model one prediction per row shown, and their Shapley values; with surrogates "
      "one "
      "prediction per row of the data";
  entry.needs.model = Need::optional;
  entry.access = Access::columns;
  entry.change = RowChange::none;
  entry.random = true;
  entry.options = describe_options<PrototypesOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
