#include "sightglass/result/saved_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "sightglass/base/error.h"
#include "support/temporary_folder.h"

namespace sightglass {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::ElementsAre;

Result of(const std::string& method) {
  Result result;
  result.method = method;
  return result;
}

class SavedResults : public ::testing::Test {
 protected:
  // Everything in the folder.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(SavedResults, ReplaceAnEarlierReport) {
  for (const char* name : {"notes.json", "07-notes.json"}) std::ofstream(folder_ / name) << "mine";
  save_results({of("report"), of("ale"), of("shap")}, folder_.string());
  EXPECT_THAT(names(), ElementsAre("01-report.json", "02-ale.json", "03-shap.json", "07-notes.json", "notes.json"));
  save_results({of("report"), of("m-plot")}, folder_.string());
  EXPECT_THAT(names(), ElementsAre("01-report.json", "02-m-plot.json", "07-notes.json", "notes.json"));
  EXPECT_THAT(saved_results(folder_.string()),
              ElementsAre((folder_ / "01-report.json").string(), (folder_ / "02-m-plot.json").string()));
}

TEST_F(SavedResults, AreAllThereOrNone) {
  save_results({of("report"), of("ale")}, folder_.string());
  // A method with such a name cannot be written.
  EXPECT_THROW(save_results({of("report"), of("no/such")}, folder_.string()), Error);
  EXPECT_THAT(names(), ElementsAre("01-report.json", "02-ale.json"));
  fs::create_directory(folder_ / "03-shap.json");
  EXPECT_THROW(save_results({of("report"), of("m-plot"), of("shap")}, folder_.string()), Error);
  EXPECT_THAT(names(), ElementsAre("01-report.json", "02-ale.json", "03-shap.json"));
  fs::remove(folder_ / "03-shap.json");
  std::ofstream(folder_ / "03-shap.json") << "mine";
  EXPECT_THROW(save_results({of("report"), of("m-plot"), of("shap")}, folder_.string()), Error);
  EXPECT_THROW(static_cast<void>(saved_results(folder_.string())), Error) << "or it is the last one, damaged";
  fs::remove(folder_ / "03-shap.json");
  const fs::path fresh = folder_ / "fresh";
  EXPECT_THROW(save_results({of("report"), of("no/such")}, fresh.string()), Error);
  EXPECT_FALSE(fs::exists(fresh));
  EXPECT_THROW(save_results({of("report")}, (folder_ / "01-report.json").string()), Error);
}

TEST_F(SavedResults, OfTwoReportsAtOnceAreOneReport) {
  const std::vector<Result> first{of("report"), of("ale"), of("shap")}, second{of("report"), of("m-plot")};
  for (int round = 0; round < 30; ++round) {
    std::thread other([&] { save_results(first, folder_.string()); });
    save_results(second, folder_.string());
    other.join();
    EXPECT_THAT(names(), AnyOf(ElementsAre("01-report.json", "02-ale.json", "03-shap.json"),
                               ElementsAre("01-report.json", "02-m-plot.json")));
  }
}

TEST_F(SavedResults, ADamagedOneIsNotPassedOver) {
  save_results({of("report"), of("ale"), of("shap")}, folder_.string());
  for (const char* name : {"01-report.json", "02-ale.json", "03-shap.json"}) {
    const fs::path path = folder_ / name;
    fs::rename(path, folder_ / "kept");
    EXPECT_EQ(saved_results(folder_.string()).size(), 2U) << "somebody took it out";
    for (const char* content : {"", "garbage", "<!doctype html>"}) {
      std::ofstream(path) << content;
      EXPECT_THROW(static_cast<void>(saved_results(folder_.string())), Error) << name << content;
    }
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_THROW(static_cast<void>(saved_results(folder_.string())), Error) << name;
    fs::remove(path);
    fs::rename(folder_ / "kept", path);
  }
  std::ofstream(folder_ / "04-notes.json") << "{}";
  std::ofstream(folder_ / "02-notes.json") << "mine";
  EXPECT_EQ(saved_results(folder_.string()).size(), 3U);
}

TEST_F(SavedResults, APageBesideThemReplacesNone) {
  const std::string folder = folder_.string();
  EXPECT_NO_THROW(check_saved_beside(folder, folder + "/report.html"));
  EXPECT_NO_THROW(check_saved_beside(folder, folder + "x/01-report.json"));
  EXPECT_THROW(check_saved_beside(folder, folder + "/01-report.json"), Error);
  EXPECT_THROW(check_saved_beside(folder + "/", folder + "/../" + folder_.filename().string() + "/07-x.json"), Error);
  EXPECT_THROW(check_saved_beside(folder + "/new", folder + "/new/"), Error);
  EXPECT_THROW(check_saved_beside(folder + "/new", folder + "/new"), Error);
  std::ofstream(folder_ / "01-report.json") << "mine";
  EXPECT_THROW(check_saved_beside(folder, ""), Error);
}

TEST_F(SavedResults, AStopLeavesTheFolderAsItWas) {
  save_results({of("report"), of("ale")}, folder_.string());
  // Three files and one last look before anything changes.
  for (const int last : {1, 3, 4}) {
    int looks = 0;
    const auto stop = [&] {
      if (++looks == last) throw Cancelled();
    };
    EXPECT_THROW(save_results({of("report"), of("m-plot"), of("shap")}, folder_.string(), stop), Cancelled) << last;
    EXPECT_THAT(names(), ElementsAre("01-report.json", "02-ale.json"));
  }
}

TEST_F(SavedResults, AreInTheirOrderHoweverMany) {
  std::vector<Result> many(101, of("ale"));
  save_results(many, folder_.string());
  const auto files = saved_results(folder_.string());
  ASSERT_EQ(files.size(), 101U);
  EXPECT_EQ(fs::path(files[1]).filename(), "02-ale.json");
  EXPECT_EQ(fs::path(files[100]).filename(), "101-ale.json");
  save_results({of("report")}, folder_.string());
  EXPECT_THAT(names(), ElementsAre("01-report.json"));
}

}  // namespace
}  // namespace sightglass
