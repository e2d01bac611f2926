#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <unordered_set>

#include "sightglass/model/readers/onnx/onnx_file_internal.h"

namespace sightglass {

namespace {

// An item of a list takes a hundred times the two bytes that it may have in the file: so many are never needed.
constexpr std::size_t most_items = std::size_t{1} << 21;
constexpr std::size_t deepest_graph = 16;  // graphs within graphs: Loop in Scan in If
constexpr std::size_t most_dims = 32;
constexpr std::int64_t newest_ir = 20;

using Wire = protozero::pbf_wire_type;

// Bytes of an element, 0 for types of other sizes.
std::size_t width_of(OnnxType type) {
  switch (type) {
    case OnnxType::uint8:
    case OnnxType::int8:
    case OnnxType::boolean: return 1;
    case OnnxType::uint16:
    case OnnxType::int16:
    case OnnxType::float16: return 2;
    case OnnxType::float32:
    case OnnxType::int32:
    case OnnxType::uint32: return 4;
    case OnnxType::float64:
    case OnnxType::int64:
    case OnnxType::uint64: return 8;
    case OnnxType::undefined:
    case OnnxType::text: break;
  }
  return 0;
}

class FileReader {
 public:
  FileReader(std::string_view content, std::string_view where) : content_(content), where_(where) {}

  OnnxFile read() {
    try {
      read_model(protozero::pbf_reader(protozero::data_view(content_.data(), content_.size())));
    } catch (const protozero::exception&) {
      fail("the file is cut off or damaged (its protobuf does not hold together)");
    }
    check_opsets();
    return std::move(file_);
  }

 private:
  using Message = protozero::pbf_reader;

  [[noreturn]] void fail(const std::string& what, const Text& advice = "save the model again") const {
    throw Error(ErrorKind::model, printable(where_) + ": " + (spot_.empty() ? "" : printable(spot_, 80) + ": ") + what,
                advice);
  }

  void wants(const Message& message, Wire type) const {
    if (message.wire_type() != type)
      fail("field " + std::to_string(message.tag()) + " is of another type than in ONNX");
  }
  std::string_view text(Message& message) const {
    wants(message, Wire::length_delimited);
    const auto view = message.get_view();
    return {view.data(), view.size()};
  }
  Message inner(Message& message) const {
    wants(message, Wire::length_delimited);
    return message.get_message();
  }
  std::int64_t integer(Message& message) const {
    wants(message, Wire::varint);
    return message.get_int64();
  }
  // Lists are packed or not, and both may be mixed.
  void integers(Message& message, std::vector<std::int64_t>& into) const {
    if (message.wire_type() == Wire::varint) {
      into.push_back(message.get_int64());
      return;
    }
    wants(message, Wire::length_delimited);
    for (const std::int64_t item : message.get_packed_int64()) into.push_back(item);
  }
  void reals(Message& message, std::vector<float>& into) const {
    if (message.wire_type() == Wire::fixed32) {
      into.push_back(message.get_float());
      return;
    }
    wants(message, Wire::length_delimited);
    const auto list = message.get_packed_float();
    into.insert(into.end(), list.begin(), list.end());
  }
  void doubles(Message& message, std::vector<double>& into) const {
    if (message.wire_type() == Wire::fixed64) {
      into.push_back(message.get_double());
      return;
    }
    wants(message, Wire::length_delimited);
    const auto list = message.get_packed_double();
    into.insert(into.end(), list.begin(), list.end());
  }
  void count_item() {
    if (++items_ > most_items) fail("has more nodes, values and attributes than any model needs");
  }

  void read_model(Message model) {
    bool graph_found = false;
    while (model.next()) {
      switch (model.tag()) {
        case 1: file_.ir_version = integer(model); break;
        case 2: file_.producer = text(model); break;
        case 3: file_.producer_version = text(model); break;
        case 7:
          if (graph_found) fail("has two graphs");
          graph_found = true;
          read_graph(inner(model), &file_, 0);
          break;
        case 8: read_opset(inner(model)); break;
        case 14: read_metadata(inner(model)); break;
        case 20: fail("holds what is needed to train it on", "export the model for inference"); break;
        case 25: read_function(inner(model)); break;
        default: model.skip();
      }
    }
    if (!graph_found) fail("has no graph");
    if (file_.ir_version < 1 || file_.ir_version > newest_ir) {
      fail("is of version " + std::to_string(file_.ir_version) + " of the format, which is not known");
    }
  }

  void read_opset(Message opset) {
    std::string_view domain;
    std::int64_t version = 0;
    while (opset.next()) {
      switch (opset.tag()) {
        case 1: domain = text(opset); break;
        case 2: version = integer(opset); break;
        default: opset.skip();
      }
    }
    count_item();
    file_.opsets.emplace_back(domain.empty() ? "ai.onnx" : std::string(domain), version);
  }

  void read_metadata(Message entry) {
    std::string_view key, value;
    while (entry.next()) {
      switch (entry.tag()) {
        case 1: key = text(entry); break;
        case 2: value = text(entry); break;
        default: entry.skip();
      }
    }
    count_item();
    file_.metadata[key] = value;
  }

  // Functions are composed of operators: nothing of them is kept but what they are composed of.
  void read_function(Message function) {
    while (function.next()) {
      if (function.tag() == 7) {
        OnnxNode node;
        read_node(inner(function), node, 1);
      } else {
        function.skip();
      }
    }
  }

  // into: null for graphs within graphs, of which only the checks are wanted.
  void read_graph(Message graph, OnnxFile* into, std::size_t depth) {
    if (depth > deepest_graph) fail("has graphs within graphs, too deep");
    std::vector<OnnxValue> inputs;
    while (graph.next()) {
      switch (graph.tag()) {
        case 1: {
          OnnxNode node;
          read_node(inner(graph), node, depth);
          if (into != nullptr) into->nodes.push_back(std::move(node));
          break;
        }
        case 5: {
          OnnxTensor tensor = read_tensor(inner(graph));
          if (into == nullptr) break;
          const std::string_view name = tensor.name;
          if (!into->constants.emplace(name, std::move(tensor)).second) {
            fail("two constants are called " + printable(name, 60));
          }
          break;
        }
        case 11: inputs.push_back(read_value(inner(graph))); break;
        case 12:
          if (into != nullptr) {
            into->outputs.push_back(read_value(inner(graph)));
          } else {
            graph.skip();
          }
          break;
        case 15: fail("has sparse constants, which are not supported"); break;
        default: graph.skip();
      }
    }
    if (into == nullptr) return;
    for (OnnxValue& input : inputs) {
      if (!into->constants.contains(input.name)) into->inputs.push_back(std::move(input));
    }
    check_graph();
  }

  void read_node(Message message, OnnxNode& node, std::size_t depth) {
    count_item();
    const std::string outer = spot_;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          count_item();
          node.inputs.push_back(text(message));
          break;
        case 2:
          count_item();
          node.outputs.push_back(text(message));
          break;
        case 3: node.name = text(message); break;
        case 4: node.op = text(message); break;
        case 5: {
          if (depth == 0) spot_ = "node " + std::to_string(file_.nodes.size()) + " (" + std::string(node.op) + ")";
          read_attribute(inner(message), node, depth);
          break;
        }
        case 7: node.domain = text(message); break;
        default: message.skip();
      }
    }
    spot_ = outer;
    if (node.domain == "ai.onnx") node.domain = "";
    if (node.op.empty()) fail("has a node without an operator");
    ++file_.operators[std::string(node.op)];
    if (file_.operators.size() > 10000) fail("has more operators than there are");
    // Others need code that is not in the file.
    if (!node.domain.empty() && node.domain != "ai.onnx.ml" && node.domain != "com.microsoft") {
      custom_ = std::string(node.domain) + "." + std::string(node.op);
    }
  }

  void read_attribute(Message message, OnnxNode& node, std::size_t depth) {
    count_item();
    std::string_view name;
    OnnxAttribute attribute;
    while (message.next()) {
      switch (message.tag()) {
        case 1: name = text(message); break;
        case 2:
          wants(message, Wire::fixed32);
          attribute.real = message.get_float();
          break;
        case 3: attribute.integer = integer(message); break;
        case 4: attribute.text = text(message); break;
        case 5: attribute.tensor = read_tensor(inner(message)); break;
        case 6:
        case 11:
          attribute.graph = true;
          read_graph(inner(message), nullptr, depth + 1);
          break;
        case 7: reals(message, attribute.reals); break;
        case 8: integers(message, attribute.integers); break;
        case 9: attribute.texts.push_back(text(message)); break;
        case 10: (void)read_tensor(inner(message)); break;
        case 22:
        case 23: fail("has sparse constants, which are not supported"); break;
        default: message.skip();
      }
    }
    if (!node.attributes.emplace(name, std::move(attribute)).second) {
      fail("has the attribute " + printable(name, 60) + " twice");
    }
  }

  OnnxTensor read_tensor(Message message) {
    count_item();
    OnnxTensor tensor;
    bool external = false, with_raw = false;
    std::string_view place;
    while (message.next()) {
      switch (message.tag()) {
        case 1: integers(message, tensor.dims); break;
        case 2: tensor.type = static_cast<OnnxType>(std::clamp<std::int64_t>(integer(message), 0, 1000)); break;
        case 4: reals(message, tensor.floats); break;
        case 5:
        case 7:
        case 11: integers(message, tensor.integers); break;
        case 6: tensor.texts.push_back(text(message)); break;
        case 8: tensor.name = text(message); break;
        case 9:
          with_raw = true;
          tensor.raw = text(message);
          break;
        case 10: doubles(message, tensor.doubles); break;
        case 13: {
          external = true;
          Message entry = inner(message);
          std::string_view key, value;
          while (entry.next()) {
            if (entry.tag() == 1) {
              key = text(entry);
            } else if (entry.tag() == 2) {
              value = text(entry);
            } else {
              entry.skip();
            }
          }
          if (key == "location") place = value;
          break;
        }
        case 14: external = integer(message) != 0 || external; break;
        default: message.skip();
      }
    }
    if (external) {
      fail("the constant " + printable(tensor.name, 60) + " is in another file" +
               (place.empty() ? "" : " (" + printable(place, 60) + ")") + ", and no other files are opened",
           "save the model in one file: onnx.save(model, path, save_as_external_data=False)");
    }
    check_size(tensor, with_raw);
    return tensor;
  }

  void check_size(const OnnxTensor& tensor, bool with_raw) const {
    const std::string called = "the constant " + printable(tensor.name, 60);
    if (tensor.dims.size() > most_dims) fail(called + " has too many dimensions");
    std::uint64_t size = 1;
    for (const std::int64_t dim : tensor.dims) {
      if (dim < 0) fail(called + " has a negative dimension");
      // Every element takes at least half a byte of the file.
      if (dim > 0 && size > 2 * content_.size() / static_cast<std::uint64_t>(dim)) {
        fail(called + " is larger than the file");
      }
      size *= static_cast<std::uint64_t>(dim);
    }
    const std::size_t width = width_of(tensor.type);
    if (width == 0 && tensor.type != OnnxType::text) return;  // half a byte, complex, …: for the runtime to judge
    const bool fits =
        with_raw ? tensor.type != OnnxType::text && tensor.raw.size() == size * width
                 : tensor.floats.size() + tensor.doubles.size() + tensor.integers.size() + tensor.texts.size() == size;
    if (!fits) fail(called + " has another number of values than its shape says");
  }

  OnnxValue read_value(Message message) {
    count_item();
    OnnxValue value;
    while (message.next()) {
      switch (message.tag()) {
        case 1: value.name = text(message); break;
        case 2: read_type(inner(message), value); break;
        default: message.skip();
      }
    }
    if (value.name.empty()) fail("has an input or output without a name");
    return value;
  }

  void read_type(Message type, OnnxValue& value) {
    while (type.next()) {
      if (type.tag() == 1) {
        value.tensor = true;
        Message tensor = inner(type);
        while (tensor.next()) {
          if (tensor.tag() == 1) {
            value.type = static_cast<OnnxType>(std::clamp<std::int64_t>(integer(tensor), 0, 1000));
          } else if (tensor.tag() == 2) {
            read_shape(inner(tensor), value);
          } else {
            tensor.skip();
          }
        }
      } else if (type.tag() == 4) {  // a sequence
        Message sequence = inner(type);
        while (sequence.next()) {
          if (sequence.tag() != 1) {
            sequence.skip();
            continue;
          }
          Message element = inner(sequence);
          while (element.next()) {
            value.maps = value.maps || element.tag() == 5;
            element.skip();
          }
        }
      } else {
        type.skip();
      }
    }
  }

  void read_shape(Message shape, OnnxValue& value) {
    value.shaped = true;
    while (shape.next()) {
      if (shape.tag() != 1) {
        shape.skip();
        continue;
      }
      Message dim = inner(shape);
      std::int64_t size = -1;
      while (dim.next()) {
        if (dim.tag() == 1) {
          size = integer(dim);
          if (size < 0) size = -1;  // some exporters write -1 for "any"
        } else {
          dim.skip();
        }
      }
      if (value.dims.size() == most_dims) fail("has an input or output of too many dimensions");
      value.dims.push_back(size);
    }
  }

  // Every value is made once, before it is used: so there are no cycles.
  void check_graph() const {
    std::unordered_set<std::string_view> known;
    for (const auto& [name, tensor] : file_.constants) known.insert(name);
    for (const OnnxValue& input : file_.inputs) {
      if (!known.insert(input.name).second) fail("two inputs are called " + printable(input.name, 60));
    }
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      const OnnxNode& node = file_.nodes[i];
      const std::string called = "node " + std::to_string(i) + " (" + printable(node.op, 40) + ")";
      for (const std::string_view input : node.inputs) {
        if (!input.empty() && !known.contains(input)) {
          fail(called + " uses " + printable(input, 60) + ", which nothing before it makes (a cycle?)");
        }
      }
      for (const std::string_view output : node.outputs) {
        if (!output.empty() && !known.insert(output).second) {
          fail(called + " makes " + printable(output, 60) + ", which is there already");
        }
      }
    }
    if (file_.outputs.empty()) fail("has no outputs");
    std::unordered_set<std::string_view> outputs;
    for (const OnnxValue& output : file_.outputs) {
      if (!known.contains(output.name)) fail("nothing makes the output " + printable(output.name, 60));
      if (!outputs.insert(output.name).second) fail("two outputs are called " + printable(output.name, 60));
    }
  }

  void check_opsets() const {
    if (!custom_.empty()) {
      fail("uses the operator " + printable(custom_, 80) + ", which is not one of ONNX: it needs a library of its own",
           marked("give {argument:model} as exec:… or python:…, which load that library"));
    }
    for (const OnnxNode& node : file_.nodes) {
      const std::string_view domain = node.domain.empty() ? "ai.onnx" : node.domain;
      const bool known = std::any_of(file_.opsets.begin(), file_.opsets.end(),
                                     [&](const auto& opset) { return opset.first == domain; });
      if (!known) fail("does not say of which version the operators of " + std::string(domain) + " are");
    }
  }

  std::string_view content_;
  std::string_view where_;
  std::string spot_;  // the node that is being read
  std::string custom_;
  OnnxFile file_;
  std::size_t items_ = 0;
};

template <class T>
void decode(std::string_view raw, std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<double>(value);
  }
}

}  // namespace

std::string onnx_type_name(OnnxType type) {
  constexpr std::string_view names[] = {"undefined", "float",  "uint8", "int8",    "uint16", "int16",  "int32",
                                        "int64",     "string", "bool",  "float16", "double", "uint32", "uint64"};
  const auto index = static_cast<std::size_t>(type);
  return index < std::size(names) ? std::string(names[index]) : "type " + std::to_string(index);
}

std::size_t OnnxTensor::size() const {
  std::size_t size = 1;
  for (const std::int64_t dim : dims) size *= static_cast<std::size_t>(dim);
  return size;
}

std::vector<double> OnnxTensor::numbers(std::string_view where) const {
  std::vector<double> values(size());
  if (!raw.empty()) {
    switch (type) {
      case OnnxType::float32: decode<float>(raw, values); return values;
      case OnnxType::float64: decode<double>(raw, values); return values;
      case OnnxType::int32: decode<std::int32_t>(raw, values); return values;
      case OnnxType::int64: decode<std::int64_t>(raw, values); return values;
      case OnnxType::uint8:
      case OnnxType::boolean: decode<std::uint8_t>(raw, values); return values;
      case OnnxType::int8: decode<std::int8_t>(raw, values); return values;
      default: break;
    }
  } else if (!floats.empty() || !doubles.empty() || !integers.empty() || values.empty()) {
    const auto take = [&](const auto& list) {
      if (list.size() == values.size()) std::copy(list.begin(), list.end(), values.begin());
      return list.size() == values.size();
    };
    const bool plain = type != OnnxType::float16;  // whose integers are bits
    if (plain && (take(floats) || take(doubles) || take(integers))) return values;
  }
  throw Error(ErrorKind::model,
              printable(where) + ": the constant " + printable(name, 60) + " of " + onnx_type_name(type) +
                  " is not numbers that are known here",
              "save the model again");
}

const OnnxAttribute* OnnxNode::find(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : &found->second;
}

bool is_onnx(std::string_view content) {
  // A protobuf whose field 1 is the version, a small number, and whose next is one of the other fields of a model.
  const auto byte = [&](std::size_t i) { return i < content.size() ? static_cast<unsigned char>(content[i]) : 0U; };
  constexpr unsigned char next[] = {0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42, 0x72};
  return byte(0) == 0x08 && byte(1) >= 1 && byte(1) < 0x40 &&
         std::find(std::begin(next), std::end(next), byte(2)) != std::end(next);
}

OnnxFile read_onnx_file(std::string_view content, std::string_view where) { return FileReader(content, where).read(); }

}  // namespace sightglass
