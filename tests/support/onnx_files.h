// Small ONNX files, written field by field.
#pragma once

#include <cstdint>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace sightglass::testing::onnx_files {

using protozero::pbf_writer;

inline std::string message(const std::function<void(pbf_writer&)>& fill) {
  std::string bytes;
  pbf_writer writer(bytes);
  fill(writer);
  return bytes;
}

inline std::string integers(const std::string& name, const std::vector<std::int64_t>& values) {
  return message([&](pbf_writer& attribute) {
    attribute.add_string(1, name);
    attribute.add_packed_int64(8, values.begin(), values.end());
    attribute.add_int32(20, 7);
  });
}
inline std::string integer(const std::string& name, std::int64_t value) {
  return message([&](pbf_writer& attribute) {
    attribute.add_string(1, name);
    attribute.add_int64(3, value);
    attribute.add_int32(20, 2);
  });
}
inline std::string reals(const std::string& name, const std::vector<float>& values) {
  return message([&](pbf_writer& attribute) {
    attribute.add_string(1, name);
    attribute.add_packed_float(7, values.begin(), values.end());
    attribute.add_int32(20, 6);
  });
}
inline std::string texts(const std::string& name, const std::vector<std::string>& values) {
  return message([&](pbf_writer& attribute) {
    attribute.add_string(1, name);
    for (const std::string& value : values) attribute.add_string(9, value);
    attribute.add_int32(20, 8);
  });
}

inline std::string node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::vector<std::string>& attributes = {},
                        const std::string& domain = "") {
  return message([&](pbf_writer& writer) {
    for (const std::string& input : inputs) writer.add_string(1, input);
    for (const std::string& output : outputs) writer.add_string(2, output);
    writer.add_string(4, op);
    for (const std::string& attribute : attributes) writer.add_message(5, attribute);
    writer.add_string(7, domain);
  });
}

inline std::string value(const std::string& name, std::int32_t type, const std::vector<std::int64_t>& dims) {
  return message([&](pbf_writer& writer) {
    writer.add_string(1, name);
    writer.add_message(2, message([&](pbf_writer& kind) {
                         kind.add_message(1, message([&](pbf_writer& tensor) {
                                            tensor.add_int32(1, type);
                                            tensor.add_message(2, message([&](pbf_writer& shape) {
                                                                 for (const std::int64_t dim : dims) {
                                                                   shape.add_message(1, message([&](pbf_writer& one) {
                                                                                       if (dim >= 0)
                                                                                         one.add_int64(1, dim);
                                                                                     }));
                                                                 }
                                                               }));
                                          }));
                       }));
  });
}

struct GraphParts {
  std::vector<std::string> nodes;
  std::vector<std::string> constants = {};
  std::vector<std::string> inputs = {value("X", 1, {-1, 2})};
  std::vector<std::string> outputs = {value("Y", 1, {-1, 1})};
};

inline std::string model_of(const GraphParts& parts) {
  const std::string graph = message([&](pbf_writer& writer) {
    for (const std::string& one : parts.nodes) writer.add_message(1, one);
    for (const std::string& one : parts.constants) writer.add_message(5, one);
    for (const std::string& one : parts.inputs) writer.add_message(11, one);
    for (const std::string& one : parts.outputs) writer.add_message(12, one);
  });
  return message([&](pbf_writer& writer) {
    writer.add_int64(1, 8);
    writer.add_string(2, "by hand");
    writer.add_message(7, graph);
    for (const std::string domain : {"", "ai.onnx.ml"}) {
      writer.add_message(8, message([&](pbf_writer& opset) {
                           opset.add_string(1, domain);
                           opset.add_int64(2, domain.empty() ? 17 : 3);
                         }));
    }
  });
}

}  // namespace sightglass::testing::onnx_files
