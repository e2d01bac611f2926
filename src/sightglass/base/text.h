// Words for people that refer to options, methods, arguments and features by name, so that each front end can spell
// these its own way: the command line as flags, Python as arguments, a page as it likes. Words of ours hold references
// in braces,
//
//   marked("raise {option:sample}, or use {method:ale}")    "raise sample", "raise --sample"
//   marked("{Option:grid}: at least 1, please")             "option grid: …", "--grid: …"
//   marked("{method:ice} with {the option:ice.center}")     "ice with the option center", "ice with --center"
//   marked("give {argument:model} as a file")               "give model as a file", "give --model as a file"
//   marked("use fewer {option:bins|bins}")                  "use fewer bins": means the option, in these words
//   feature_name(name) + " is missing"                      "temp is missing", whatever characters the name has
//
// while everything else, names from the data above all, is taken as it is: Text(name) refers to nothing, whatever
// braces it has. An option is one of the method whose words these are, or of every run, unless its method stands before
// it; an argument is what a front end is given before any method runs: model, data, classes. In markup, what would end
// the name of a feature is written as %7D and the like.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

struct Reference {
  enum class Kind { option, method, argument, feature };
  enum class Noun { none, option, the_option };  // where the name alone would not be taken for an option
  Kind kind = Kind::option;
  std::string name;
  std::string method;  // of an option of another method
  std::string words;   // what it is called, whoever shows it; empty = by its name
  Noun noun = Noun::none;

  friend bool operator==(const Reference&, const Reference&) = default;
};

// How a front end writes a reference that has no words of its own.
using Speller = std::function<std::string(const Reference&)>;

class Text {
 public:
  Text() = default;
  Text(std::string_view plain);
  Text(const std::string& plain) : Text(std::string_view(plain)) {}
  Text(const char* plain) : Text(std::string_view(plain)) {}
  // Reads references. What looks like one and is none (a file may hold anything) is taken as it is.
  [[nodiscard]] static Text from_markup(std::string_view markup);

  [[nodiscard]] bool empty() const { return markup_.empty(); }
  [[nodiscard]] std::vector<Reference> references() const;
  // Whether the first thing that it says is a reference: a name, which is not written with a capital letter.
  [[nodiscard]] bool starts_with_reference() const;
  // With the names as C++ and Python have them.
  [[nodiscard]] std::string plain() const;
  // The same text; its references to options and methods have the words that the speller gives them. Features are
  // called the same everywhere.
  [[nodiscard]] Text spelled(const Speller& speller) const;
  // What comes before the end, which must be this one; with all of it, nothing.
  [[nodiscard]] Text without_end(const Text& end) const;
  // What from_markup() reads.
  [[nodiscard]] const std::string& markup() const { return markup_; }

  Text& operator+=(const Text& more);
  friend Text operator+(Text a, const Text& b) { return a += b; }
  friend bool operator==(const Text&, const Text&) = default;

 private:
  std::string markup_;  // an opening brace of the text itself is written twice
};

// Words of ours, with references.
[[nodiscard]] inline Text marked(std::string_view words) { return Text::from_markup(words); }
// "option grid", for the head of a message.
[[nodiscard]] Text option_text(std::string_view name);
// "grid"
[[nodiscard]] Text option_name(std::string_view name);
// A feature of the data, by any name that it may have.
[[nodiscard]] Text feature_name(std::string_view name);

}  // namespace sightglass
