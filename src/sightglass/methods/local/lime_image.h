// Which regions of a picture speak for a prediction, and which against it?
//   min over b, β of Σ_i w_i (f(x_i) − b − Σ_j z_ij β_j)² + α Σ β_j²,   w = √exp(−D²/σ²),   D = 1 − √(shown / segments)
// Each sample x_i is the picture with some of its superpixels hidden (z_ij = 0, each with probability one half) under
// their mean colour or grey. Ribeiro, Singh & Guestrin (2016); Garreau & Mardaoui (2021), What does LIME really see in
// images?, arXiv:2102.06307. Pictures reach the model as texts (base/picture.h). Cost: `samples` predictions
// per picture; in memory are some megabytes of samples at a time.
#pragma once

#include <optional>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct LimeImageOptions {
  std::string image_column;
  std::vector<std::int64_t> rows;
  std::optional<std::int64_t> explain = std::nullopt;
  std::int64_t segments = 60;
  double compactness = 10;
  // Not its mean colour, as lime_image: of a region of one colour that hides nothing.
  std::string hide = "grey";
  std::int64_t terms = 0;
  std::int64_t samples = 1000;
  double width = 0.25;
  std::string select = "auto";
  double penalty = 1;
  std::int64_t pick = 0;
  std::int64_t kinds = 40;

  static void fields(auto&& field) {
    field("image_column", &LimeImageOptions::image_column,
          {.help = "column with the pictures; may be left out where only one column has text",
           .type = OptionType::column});
    field("rows", &LimeImageOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &LimeImageOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all; default: 3, with {option:pick} 100",
           .type = OptionType::row_count});
    field("segments", &LimeImageOptions::segments,
          {.help = "superpixels (SLIC) of a picture, about", .type = OptionType::count, .range = between(1, 2000)});
    field("compactness", &LimeImageOptions::compactness,
          {.help = "of superpixels: how much places count beside colours", .range = above(0)});
    field("hide", &LimeImageOptions::hide, {"what hides a superpixel: grey, or its mean colour", {"grey", "mean"}});
    field("terms", &LimeImageOptions::terms,
          {.help = "superpixels of an explanation at the most; 0 = all",
           .type = OptionType::count,
           .range = between(0, 2000),
           .aliases = {"num_features"}});
    field(
        "samples", &LimeImageOptions::samples,
        {.help = "pictures with regions hidden that the model is asked about (the whole picture is the first of them)",
         .type = OptionType::count,
         .range = between(10, 1'000'000),
         .aliases = {"num_samples"}});
    field("width", &LimeImageOptions::width,
          {.help = "σ of the kernel, in distances from 0 (all is shown) to 1 (nothing)", .range = above(0)});
    field(
        "select", &LimeImageOptions::select,
        {"how the superpixels of an explanation are chosen; auto: forward up to 6 {option:terms|terms}, else by weight",
         {"auto", "forward", "weights"}});
    field("penalty", &LimeImageOptions::penalty, {.help = "α of the weighted ridge regression", .range = at_least(0)});
    field(
        "pick", &LimeImageOptions::pick,
        {.help = "show so many pictures only, chosen so that the kinds of regions in their explanations cover as much "
                 "as possible",
         .type = OptionType::count,
         .range = between(0, 1000)});
    field("kinds", &LimeImageOptions::kinds,
          {.help = "with {option:pick}: how many kinds of regions there are at the most, by colours and texture",
           .type = OptionType::count,
           .range = between(1, 500)});
  }
};

[[nodiscard]] MethodEntry lime_image();

}  // namespace sightglass
