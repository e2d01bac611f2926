#include "sightglass/methods/local/pieces/picture_regions.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sightglass {

namespace {

constexpr std::uint8_t grey = 128;
constexpr std::size_t bytes_at_once = 32;  // bytes that are copied at once, beyond the end of a run

std::vector<std::uint8_t> mean_colours(const Picture& picture, const Segments& segments) {
  std::vector<std::uint8_t> colours(picture.rgb.size());
  std::vector<std::array<std::uint64_t, 4>> sums(segments.count);
  for (std::size_t i = 0; i < segments.of.size(); ++i) {
    auto& sum = sums[segments.of[i]];
    for (std::size_t c = 0; c < 3; ++c) sum[c] += picture.rgb[3 * i + c];
    ++sum[3];
  }
  for (std::size_t i = 0; i < segments.of.size(); ++i) {
    const auto& sum = sums[segments.of[i]];
    for (std::size_t c = 0; c < 3; ++c) colours[3 * i + c] = static_cast<std::uint8_t>((sum[c] + sum[3] / 2) / sum[3]);
  }
  return colours;
}

}  // namespace

PictureRegions::PictureRegions(Picture picture, Segments parts, bool mean)
    : whole(std::move(picture)), segments(std::move(parts)) {
  hidden_ = mean ? mean_colours(whole, segments) : std::vector<std::uint8_t>(whole.rgb.size(), grey);
  for (std::uint32_t i = 0; i < segments.of.size(); ++i) {
    if (i == 0 || segments.of[i] != segments.of[i - 1]) runs_.push_back({.begin = 3 * i, .region = segments.of[i]});
  }
}

void PictureRegions::write(const std::uint64_t* bits, std::uint8_t* rgb) const {
  const std::size_t size = whole.rgb.size();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const bool shown = ((bits[run.region / 64] >> (run.region % 64)) & 1) != 0;
    const std::uint8_t* from = shown ? whole.rgb.data() : hidden_.data();
    const std::size_t end = i + 1 < runs_.size() ? runs_[i + 1].begin : size;
    std::size_t at = run.begin;
    // What is copied too much, the next run overwrites.
    for (; at < end && at + bytes_at_once <= size; at += bytes_at_once) std::memcpy(rgb + at, from + at, bytes_at_once);
    if (at < end) std::memcpy(rgb + at, from + at, end - at);
  }
}

}  // namespace sightglass
