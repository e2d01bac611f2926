#include "sightglass/data/pictures/picture_table.h"

#include "sightglass/base/input_file.h"
#include "sightglass/base/picture.h"
#include "sightglass/base/shown_path.h"

namespace sightglass {

static constexpr std::uint64_t largest_picture_file = std::uint64_t{256} << 20;

Table picture_table(const std::string& path) {
  const std::string where = shown_path(path);
  const std::string bytes =
      read_input_file(path, largest_picture_file, ErrorKind::data, "check the name of the picture");
  const auto dictionary = std::make_shared<const Dictionary>(std::vector{picture_text(read_picture(bytes, where))});
  Schema schema({{.name = "image", .type = DType::categorical, .dictionary = dictionary}});
  return Table(std::move(schema), {column_of(std::vector<std::int32_t>{0}, dictionary.get())});
}

}  // namespace sightglass
