// Accumulated local effects of one feature, from a model file and a table, in a C++ program.
#include <sightglass/sightglass.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 4) return 2;  // model.json data.csv feature
  const auto model = sightglass::load_model(argv[1]);
  const auto data = sightglass::scan({.path = argv[2]});
  const auto result = sightglass::ale(*model, *data, {.features = {argv[3]}});
  const auto& curve = result.results.front().get<sightglass::Curve>();
  for (std::size_t i = 0; i < curve.mean.size(); ++i) {
    if (curve.axis.is_categorical())
      std::cout << curve.axis.levels[i] << ' ' << curve.mean[i] << '\n';
    else
      std::cout << curve.axis.numbers[i] << ' ' << curve.mean[i] << '\n';
  }
} catch (const sightglass::Error& error) {
  std::cerr << error.what() << '\n';
  return sightglass::exit_code(error.kind());
}
