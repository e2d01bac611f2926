// Saved results to any format, for tests: make_page html|vega|text|ascii|color|csv|json FILE...
#include <fstream>
#include <iostream>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/html_renderer.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

using namespace sightglass;

int main(int argc, char** argv) {
  try {
    const std::string format = argc > 1 ? argv[1] : "";
    std::vector<Result> results;
    for (int i = 2; i < argc; ++i) {
      std::ifstream file(argv[i], std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      results.push_back(result_from_json(text.str(), argv[i]));
    }
    if (format == "html") std::cout << render_html(results);
    for (const auto& result : results) {
      if (format == "vega") std::cout << render_vega(result);
      if (format == "text") std::cout << render_text(result) << '\n';
      if (format == "ascii") std::cout << render_text(result, {80, false, false}) << '\n';
      if (format == "color") std::cout << render_text(result, {80, true, true}) << '\n';
      if (format == "csv") std::cout << render_csv(result);
      if (format == "json") std::cout << to_json(result);
    }
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return exit_code(error.kind());
  }
}
