#include "sightglass/result/method_info.h"

#include "sightglass/result/fields.h"

namespace sightglass {

std::string_view to_string(Family family) { return family_names[static_cast<std::size_t>(family)]; }

void describe_fields(MethodInfo& info, Fields& fields) {
  fields.about("What the method is.");
  fields.text({"title"}, info.title);
  fields.text({"short_name", "Empty: the title."}, info.short_name);
  describe_choice(fields, {"family", "The question that it belongs to."}, family_names, info.family);
}

}  // namespace sightglass
