// One exception type for everything that can go wrong on purpose. The library never prints, exits or
// aborts: it throws an Error whose kind decides the exit code (CLI) or the exception class (Python).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "sightglass/base/text.h"

namespace sightglass {

enum class ErrorKind { usage, data, model, prediction, output, internal };

[[nodiscard]] std::string_view to_string(ErrorKind kind);

// The process exit code that a command line tool uses for an error of this kind.
[[nodiscard]] int exit_code(ErrorKind kind);

// What happened and where, in one line; what to do about it; and detail (a child's stderr, a traceback)
// that is shown only on request.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, Text message, Text advice = {}, std::string detail = {});
  // Not inline: it would be compiled in every file that throws.
  Error(const Error&);
  ~Error() override;

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] std::string message() const { return message_.plain(); }
  [[nodiscard]] std::string advice() const { return advice_.plain(); }
  [[nodiscard]] const std::string& detail() const { return detail_; }
  // With their references, for a front end to spell.
  [[nodiscard]] const Text& message_text() const { return message_; }
  [[nodiscard]] const Text& advice_text() const { return advice_; }

 private:
  ErrorKind kind_;
  Text message_;
  Text advice_;
  std::string detail_;
};

// Thrown when the user stopped the work (Ctrl-C). Not an Error: nothing went wrong.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

// Makes text from a file or a user safe to show on one line: control characters, line breaks and invalid
// UTF-8 are replaced, long text is cut.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 120);

}  // namespace sightglass
