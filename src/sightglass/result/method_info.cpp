#include "sightglass/result/method_info.h"

#include "sightglass/result/fields.h"

namespace sightglass {

static void describe_fields(GlossaryTerm& term, Fields& fields) {
  fields.text({"term", "", Presence::required}, term.term);
  fields.text({"meaning", "", Presence::required}, term.meaning);
}

void describe_fields(MethodInfo& info, Fields& fields) {
  fields.about("What the method is.");
  fields.text({"title"}, info.title);
  fields.text({"short_name", "Empty: the title."}, info.short_name);
  describe_choice(fields, {"family", "The question that it belongs to."}, info.family);
  fields.only_if(!info.terms.empty(), [&] {
    describe_records(fields, {"terms", "Words that the method brings, for a page to explain."}, info.terms);
  });
}

}  // namespace sightglass
