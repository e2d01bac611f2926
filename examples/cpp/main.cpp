// Partial dependence of one feature, from a model file and a table, in a C++ program.
#include <sightglass/base/error.h>
#include <sightglass/data/scan/scan.h>
#include <sightglass/methods/run/session.h>
#include <sightglass/model/load.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 4) return 2;  // model.json data.csv feature
  const auto model = sightglass::load_model(argv[1]);
  const auto data = sightglass::scan({.path = argv[2]});
  sightglass::Context context;
  const auto options = sightglass::Value::object({{"features", argv[3]}});
  const auto result = sightglass::run("partial-dependence", *model, *data, options, context);
  const auto& curve = *result.results.front().as<sightglass::Curve>();
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
