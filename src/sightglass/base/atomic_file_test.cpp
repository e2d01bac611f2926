#include "sightglass/base/atomic_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sightglass/base/error.h"
#include "support/temporary_folder.h"

namespace sightglass {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const char* name) const { return folder_.path(name); }
  [[nodiscard]] static std::string content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t files() const { return folder_.files(); }
  TemporaryFolder folder_;
};

TEST_F(AtomicFileTest, ReplacesWholeAndThroughLinks) {
  write_file(path("a"), "one");
  fs::create_symlink("a", path("link"));
  write_file(path("link"), "two");
  EXPECT_EQ(content(path("a")), "two");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files(), 2U);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  write_file(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, SaysWhatIsWrong) {
  const auto kind = [](const std::string& where) {
    try {
      write_file(where, "x");
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind(path("missing/a")), ErrorKind::output);
  EXPECT_EQ(kind(folder_.path()), ErrorKind::output);
  EXPECT_EQ(kind("/dev/full"), ErrorKind::output);
  EXPECT_EQ(kind(path("a") + std::string("\0b", 2)), ErrorKind::output);
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
}

}  // namespace
}  // namespace sightglass
