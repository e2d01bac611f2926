// The page around a payload that a test made up: JSON on standard input, the page on standard output.
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "sightglass/render/html/payload_internal.h"
#include "sightglass/result/json.h"

int main() try {
  const std::string json(std::istreambuf_iterator<char>(std::cin), {});
  std::cout << sightglass::page_of(sightglass::value_from_json(json, "the payload"));
  return std::cout.flush() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
