#include <algorithm>

#include "sightglass/data/picked_block.h"
#include "sightglass/methods/interactions/dependence/pd_tree_rows_internal.h"

namespace sightglass {

namespace {

// Sets of points that one thread takes.
constexpr std::size_t sets_at_once = 16;

}  // namespace

std::vector<PdRowSet> pd_row_sets(const MethodInput& input, const PdRows& rows, const RowBlock& block, bool margins,
                                  std::vector<std::uint64_t>& totals, Context& context) {
  const WeightUnits units(input);
  const TreeRows& trees = *input.trees;
  const std::size_t slots = trees.codes().slots(), outputs = trees.parts().base.size();
  std::vector<std::vector<std::uint64_t>> drawn(rows.samples().size()), places(drawn.size());
  for (std::size_t row = 0; row < block.rows; ++row) {
    const PdRows::Place* place = rows.find(block.row_id(row));
    if (place == nullptr) continue;
    drawn[place->sample].push_back(row);
    places[place->sample].push_back(place->row);
  }
  std::vector<PdRowSet> sets;
  for (std::size_t sample = 0; sample < drawn.size(); ++sample) {
    if (drawn[sample].empty()) continue;
    const PickedBlock picked(block, drawn[sample]);
    const RowBlock& part = picked.block();
    const std::size_t begin = sets.size(), count = (part.rows + set_rows - 1) / set_rows;
    sets.resize(begin + count);
    context.parallel_for(count, [&](std::size_t i) {
      PdRowSet& set = sets[begin + i];
      const std::size_t first = i * set_rows, size = std::min(set_rows, part.rows - first);
      set.sample = sample;
      set.rows = first_rows(size);
      set.codes.resize(slots * set_rows);
      trees.encode(part, first, size, set.codes.data(), set_rows);
      const auto from = places[sample].begin() + static_cast<std::ptrdiff_t>(first);
      set.places.assign(from, from + static_cast<std::ptrdiff_t>(size));
      if (input.weighted) set.units.resize(set_rows);
      for (std::size_t row = 0; row < size && input.weighted; ++row)
        set.units[position_of_row(row)] = units.of(part, first + row);
      if (!margins) return;
      set.margins.resize(size * outputs);
      trees.margins(part, first, {set.margins.data(), size, outputs}, context);
    });
    for (std::size_t row = 0; row < part.rows; ++row) totals[sample] += units.of(part, row);
  }
  return sets;
}

void pd_count(const MethodInput& input, const std::vector<TreeMeans>& means, const std::vector<PdRowSet>& sets,
              const std::function<std::uint64_t*(std::size_t means, std::size_t sample)>& counts,
              const Context& context) {
  const std::size_t trees = input.trees->edges()->trees();
  const std::size_t parts = std::min(trees, static_cast<std::size_t>(context.threads()));
  context.parallel_for(parts, [&](std::size_t part) {
    ConditionSets conditions(input.trees->codes());
    TreeMeans::Workspace workspace(means[0]);
    for (const PdRowSet& set : sets) {
      conditions.find(set.codes.data());
      for (std::size_t i = 0; i < means.size(); ++i) {
        context.check();
        means[i].count({trees * part / parts, trees * (part + 1) / parts}, conditions.sets(), set.rows,
                       set.units.empty() ? nullptr : set.units.data(), counts(i, set.sample), workspace);
      }
    }
  });
}

std::vector<double> pd_at_points(const MethodInput& input, const PdRows& rows, const TreeMeans& means,
                                 const PdTask& task, std::size_t sample) {
  const TreeRows& trees = *input.trees;
  const PdPoints& points = task.points[sample];
  const std::size_t outputs = input.explained.size();
  std::vector<std::vector<std::uint16_t>> codes(task.subset.size());  // [part][single point]
  std::vector<std::optional<std::size_t>> slots;
  for (std::size_t part = 0; part < task.subset.size(); ++part) {
    slots.push_back(trees.slot(rows.features()[task.subset[part]]));
    for (const double value : rows.samples()[sample].values[task.subset[part]])
      codes[part].push_back(slots[part] ? trees.code(*slots[part], value) : std::uint16_t{0});
  }
  std::vector<double> values(points.size() * outputs);
  const std::size_t sets = (points.size() + set_rows - 1) / set_rows;
  input.for_each("partial dependence", (sets + sets_at_once - 1) / sets_at_once, [&](std::size_t piece) {
    ConditionSets conditions(trees.codes());
    TreeMeans::Workspace workspace(means);
    std::vector<std::uint16_t> set_codes(trees.codes().slots() * set_rows);
    std::vector<double> found(set_rows * outputs);
    for (std::size_t set = piece * sets_at_once; set < std::min(sets, (piece + 1) * sets_at_once); ++set) {
      const std::size_t first = set * set_rows, count = std::min(set_rows, points.size() - first);
      for (std::size_t part = 0; part < slots.size(); ++part) {
        for (std::size_t i = 0; i < count && slots[part]; ++i)
          set_codes[*slots[part] * set_rows + i] = codes[part][points.parts[part][first + i]];
      }
      conditions.find(set_codes.data());
      means.find(conditions.sets(), first_rows(count), found.data(), workspace);
      for (std::size_t i = 0; i < count; ++i)
        std::copy_n(found.data() + position_of_row(i) * outputs, outputs, values.data() + (first + i) * outputs);
    }
  });
  return values;
}

}  // namespace sightglass
