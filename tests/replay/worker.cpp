// A process that works on a job and knows nothing but what it reads from files:
//   worker map  MODEL JOB PART OUT             what the next pass keeps of a part of the rows
//   worker next MODEL JOB PART OUT PARTIAL…    the job after that pass (exit code 0), or the result as JSON (exit code
//   10)
#include <iostream>

#include "replay/job_files.h"
#include "sightglass/base/error.h"
#include "sightglass/data/part_rows.h"
#include "sightglass/methods/run/job.h"
#include "sightglass/result/json.h"
#include "support/methods_of_tests.h"

namespace {

int work(const std::vector<std::string>& arguments) {
  using namespace sightglass;
  const auto model = testing::job_model(arguments.at(2));
  const Job job = Job::load(testing::read_bytes(arguments.at(3)));
  const testing::LoadedPart loaded = testing::load_part(testing::read_bytes(arguments.at(4)));
  const PartRows part(loaded.rows, loaded.first_row);
  const std::string& out = arguments.at(5);
  Context context(1);
  const std::vector<MethodEntry> known = testing::job_methods();
  const WorkOnJob work(job, *model, part, context, known);
  if (arguments.at(1) == "map") {
    testing::write_bytes(out, work.map(part));
    return 0;
  }
  std::vector<std::string> partials;
  for (std::size_t i = 6; i < arguments.size(); ++i) partials.push_back(testing::read_bytes(arguments[i]));
  const auto next = work.next(partials);
  if (const auto* result = std::get_if<Result>(&next)) {
    testing::write_bytes(out, to_json(*result));
    return 10;
  }
  testing::write_bytes(out, std::get<Job>(next).save());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return work({arguments, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
