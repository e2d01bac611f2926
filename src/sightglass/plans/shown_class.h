// Which of several classes is shown where one must be chosen: of two the second, which is the positive one; of more the
// one that most rows have. The result says it as data.shown_class, and who reads it says so: shown_output() of
// insight/readable.h.
#pragma once

#include "sightglass/methods/run/session.h"

namespace sightglass {

// Nothing for numbers, for a single output, and where the data do not say which class is most frequent.
void name_shown_class(Result& result, RunSessions& sessions, const RunOptions& options);

}  // namespace sightglass
