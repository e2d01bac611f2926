#include "sightglass/learn/tree/impurity_sums.h"

namespace sightglass {

std::vector<double> level_positions(const std::vector<ClassSums>& levels) {
  ClassSums total{0, std::vector<double>(levels.at(0).classes.size())};
  for (const ClassSums& level : levels) total.add(level);
  const std::size_t classes = total.classes.size();

  std::vector<std::vector<double>> deviations;  // of the class shares from those of all levels
  std::vector<double> direction(classes);       // starts where one level deviates most
  double most = 0;
  for (const ClassSums& level : levels) {
    auto& deviation = deviations.emplace_back(classes);
    double square = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      deviation[k] = level.classes[k] / level.weight - total.classes[k] / total.weight;
      square += deviation[k] * deviation[k];
    }
    if (level.weight * square > most) {
      most = level.weight * square;
      direction = deviation;
    }
  }

  const auto positions = [&] {
    std::vector<double> along;
    for (const auto& deviation : deviations) {
      double product = 0;
      for (std::size_t k = 0; k < classes; ++k) product += deviation[k] * direction[k];
      along.push_back(product);
    }
    return along;
  };
  constexpr int rounds = 30;  // the order of the levels settles long before the direction does
  for (int round = 0; round < rounds; ++round) {
    const auto along = positions();
    std::vector<double> next(classes);
    for (std::size_t g = 0; g < levels.size(); ++g) {
      for (std::size_t k = 0; k < classes; ++k) next[k] += levels[g].weight * along[g] * deviations[g][k];
    }
    double square = 0;
    for (const double x : next) square += x * x;
    if (!(square > 0)) break;
    for (std::size_t k = 0; k < classes; ++k) direction[k] = next[k] / std::sqrt(square);
  }
  return positions();
}

}  // namespace sightglass
