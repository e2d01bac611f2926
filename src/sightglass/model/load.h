// Opens whatever a model is given as: a file (format recognised by content), exec:CMD, python:module:callable, or the
// address of a server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/model.h"

namespace sightglass {

struct LoadOptions {
  // Class labels, where the file has none (XGBoost); checked against the number of classes.
  std::vector<std::string> classes;
  // Without classes, of a program: its answers are mere numbers, whatever they look like.
  bool mere_numbers = false;
  // Use only the first so many rounds of boosting; 0: as the model's own predict does.
  std::uint64_t rounds = 0;
  // With rounds 0: all of them, even where the file says which was the best.
  bool all_rounds = false;
  // Seconds to wait for one answer of a child process or a server.
  double timeout = 60;
  // Of a server: how it is spoken to (server_protocols(); empty: recognised), which of its outputs to explain (empty:
  // the only one), and how many requests it may be sent (0: any number).
  std::string protocol;
  std::vector<std::string> server_outputs;
  std::uint64_t max_requests = 0;
  // Whoever made it may stop the opening.
  const Context* context = nullptr;
};

// What results and messages call the model: a file by its name without folders, a command by its program, because the
// rest of it may hold passwords, a server by its address.
[[nodiscard]] std::string shown_model(const std::string& location);
// The same of two models that are told apart: where both files have the same name, with their folders.
[[nodiscard]] std::vector<std::string> shown_models(const std::string& first, const std::string& second);

// The files that it is made of, as far as one can tell: words of a command may name some.
[[nodiscard]] std::vector<std::string> model_files(const std::string& location);

[[nodiscard]] std::unique_ptr<Model> load_model(const std::string& location, const LoadOptions& options = {});

// The same from memory; `where` stands in error messages for the file.
[[nodiscard]] std::unique_ptr<Model> parse_model(std::string_view content, std::string_view where,
                                                 const LoadOptions& options = {});

}  // namespace sightglass
