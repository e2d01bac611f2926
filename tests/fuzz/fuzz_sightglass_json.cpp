// Our own model files. Seeds: tests/formats/sightglass/*.json. What was changed is refused by its digest, which no
// fuzzer guesses: the digest is put right first, so that everything behind it is tried too, and then the file is read
// as it is.
#include <string>

#include "predict_accepted.h"
#include "sightglass/model/learned/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t digest_end = sightglass::model_file_start.size() + 16 + 2;  // with the quote and the comma
  if (size > digest_end) {
    const std::string members(reinterpret_cast<const char*>(data) + digest_end, size - digest_end);
    const std::string file = sightglass::seal_model_file("{" + members);
    (void)sightglass::fuzzing::parse_and_predict(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  }
  return sightglass::fuzzing::parse_and_predict(data, size);
}
