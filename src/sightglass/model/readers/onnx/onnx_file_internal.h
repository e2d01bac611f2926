// What an ONNX file says, with all lengths and wire types checked: the graph, its nodes with their attributes, its
// constants. Texts and numbers stay where they are in the file's bytes; constants are decoded when somebody asks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sightglass/base/error.h"

namespace sightglass {

// TensorProto.DataType, as far as anything here looks at it.
enum class OnnxType : std::int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  text = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
};
[[nodiscard]] std::string onnx_type_name(OnnxType type);

struct OnnxTensor {
  std::string_view name;
  OnnxType type = OnnxType::undefined;
  std::vector<std::int64_t> dims;
  std::string_view raw;  // little endian; empty if the numbers are in the lists
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::int64_t> integers;  // of int32_data and int64_data
  std::vector<std::string_view> texts;

  [[nodiscard]] std::size_t size() const;  // checked when it was read
  // All of its numbers. Throws Error(model) if it holds none, or not as many as its shape says.
  [[nodiscard]] std::vector<double> numbers(std::string_view where) const;
};

struct OnnxAttribute {
  std::optional<float> real;
  std::optional<std::int64_t> integer;
  std::optional<std::string_view> text;
  std::vector<float> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string_view> texts;
  std::optional<OnnxTensor> tensor;
  bool graph = false;  // has a graph of its own, which was checked and not kept
};

struct OnnxNode {
  std::string_view op;
  std::string_view domain;  // "" is ai.onnx
  std::string_view name;
  std::vector<std::string_view> inputs;   // "" where an optional one is left out
  std::vector<std::string_view> outputs;  // likewise
  std::map<std::string_view, OnnxAttribute> attributes;

  [[nodiscard]] const OnnxAttribute* find(std::string_view attribute) const;
};

struct OnnxValue {
  std::string_view name;
  OnnxType type = OnnxType::undefined;
  bool tensor = false;             // else a sequence, a map or something else
  bool maps = false;               // a sequence of maps, as ZipMap makes it
  bool shaped = false;             // whether the number of dimensions is known
  std::vector<std::int64_t> dims;  // -1 where a dimension is not known
};

struct OnnxFile {
  std::string_view producer, producer_version;
  std::int64_t ir_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> opsets;  // ai.onnx spelled out
  std::map<std::string, std::int64_t> operators;             // how often each occurs, subgraphs included
  std::map<std::string_view, std::string_view> metadata;
  std::vector<OnnxNode> nodes;
  std::unordered_map<std::string_view, OnnxTensor> constants;  // initializers
  std::vector<OnnxValue> inputs;                               // but for those that are constants with a default
  std::vector<OnnxValue> outputs;
};

// Whether it begins as an ONNX file does.
[[nodiscard]] bool is_onnx(std::string_view content);

// Throws Error(model) that names the file and the spot: for bytes that are no ONNX, a graph that is none (cycles,
// values that nobody makes or two make), shapes and data that do not fit, data in other files, and operators of others.
// The content must stay where it is.
[[nodiscard]] OnnxFile read_onnx_file(std::string_view content, std::string_view where);

}  // namespace sightglass
