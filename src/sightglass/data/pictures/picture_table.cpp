#include "sightglass/data/pictures/picture_table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/base/input_file.h"
#include "sightglass/base/picture.h"
#include "sightglass/base/shown_path.h"

namespace sightglass {

namespace {

constexpr std::uint64_t largest_picture_file = std::uint64_t{256} << 20;
// Of all pictures of a folder together: as texts they take four bytes each.
constexpr std::size_t most_pixels_together = std::size_t{1} << 26;

bool starts_as_picture(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return false;
  char bytes[16] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes, sizeof bytes);
  return is_picture_file({bytes, static_cast<std::size_t>(file.gcount())});
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) && !error;
}

std::vector<std::string> pictures_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (starts_as_picture(entry->path().string())) files.push_back(entry->path().string());
  }
  if (error) throw Error(ErrorKind::data, shown_path(folder) + ": the folder cannot be read: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool is_picture_place(const std::string& path) { return is_folder(path) || starts_as_picture(path); }

Table picture_table(const std::string& path, const Context& context) {
  const std::vector<std::string> files = is_folder(path) ? pictures_in(path) : std::vector{path};
  if (files.empty())
    throw Error(ErrorKind::data, shown_path(path) + ": the folder has no picture", "PNG and JPEG files are read");
  std::map<std::string, std::vector<std::size_t>> rows;  // with this picture
  std::size_t pixels = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    context.check();
    const Picture picture =
        read_picture(read_input_file(files[i], largest_picture_file, ErrorKind::data, "check the name of the picture"),
                     shown_path(files[i]));
    pixels += picture.pixels();
    if (pixels > most_pixels_together)
      throw Error(ErrorKind::data,
                  shown_path(path) + ": its first " + std::to_string(i + 1) + " of " + std::to_string(files.size()) +
                      " pictures have more than " + std::to_string(most_pixels_together >> 20) +
                      " million pixels together, which is too much to keep",
                  "make them smaller first, as the model takes them, or give fewer");
    rows[picture_text(picture)].push_back(i);
  }
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes(files.size());
  while (!rows.empty()) {
    auto node = rows.extract(rows.begin());
    for (const std::size_t row : node.mapped()) codes[row] = static_cast<std::int32_t>(levels.size());
    levels.push_back(std::move(node.key()));
  }
  const auto dictionary = std::make_shared<const Dictionary>(std::move(levels));
  Schema schema({{.name = "image", .type = DType::categorical, .dictionary = dictionary}});
  return Table(std::move(schema), {column_of(std::move(codes), dictionary.get())});
}

}  // namespace sightglass
