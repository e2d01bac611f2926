#include "sightglass/result/method_info.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/json_writer_internal.h"

namespace sightglass {

namespace {

// Only where there are any.
void describe_terms(std::vector<GlossaryTerm>& terms, Fields& fields) {
  Fields::Special special;
  special.read = [&](const JsonNode& list) {
    for (const JsonNode& each : list.items()) terms.push_back({each.at("term").text(), each.at("meaning").text()});
  };
  if (!terms.empty()) {
    special.write = [&](JsonWriter& out) {
      out.begin_array();
      for (const auto& [term, meaning] : terms)
        out.begin_object().key("term").text(term).key("meaning").text(meaning).end_object();
      out.end_array();
    };
  }
  fields.special({"terms"}, special);
}

}  // namespace

void describe_fields(MethodInfo& info, Fields& fields) {
  fields.about("What the method is.");
  fields.text({"title"}, info.title);
  fields.text({"short_name", "Empty: the title."}, info.short_name);
  describe_choice(fields, {"family", "The question that it belongs to."}, info.family);
  describe_terms(info.terms, fields);
}

}  // namespace sightglass
