// Files that appear whole or not at all: written under a temporary name in the same folder, synced, renamed.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace sightglass {

struct UnfinishedFile;

class AtomicFile {
 public:
  // Throws Error(output) if the folder is missing or cannot be written. Something that is not a regular
  // file (/dev/stdout, a pipe) is written directly.
  explicit AtomicFile(std::string path);
  // Without commit() nothing remains.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  // All that was written is on the disk then: what is left to commit() hardly fails.
  void finish();
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* what);

  std::string path_;
  std::string shown_;      // in messages
  std::string temporary_;  // empty: written directly
  UnfinishedFile* unfinished_ = nullptr;
  int descriptor_ = -1;
  std::string buffer_;
};

void write_file(const std::string& path, std::string_view bytes);

// Removes the temporary files that are being written, if any. For signal handlers that end the process.
void remove_unfinished_files() noexcept;

}  // namespace sightglass
