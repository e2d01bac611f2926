#include "sightglass/render/fidelity_view.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"
#include "sightglass/result/fidelity_measure.h"

namespace sightglass {

namespace {

constexpr std::size_t regions_in_picture = 10;

const Fidelity& fidelity_of(const ItemGroup& group) { return *group.item<Fidelity>(); }

// The part that speaks for all rows first, then the others, then regions, the worst first.
std::vector<const FidelityPart*> ordered(const Fidelity& fidelity) {
  const bool lower = lower_is_better(fidelity.measure);
  const FidelityPart* overall = overall_part(fidelity);
  std::vector<const FidelityPart*> parts;
  for (const FidelityPart& part : fidelity.parts) parts.push_back(&part);
  const auto key = [&](const FidelityPart* part) {
    if (part->rows != FidelityRows::region) return std::pair(part == overall ? 0 : 1, 0.0);
    return std::pair(2, std::isnan(part->fidelity) ? INFINITY : lower ? -part->fidelity : part->fidelity);
  };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const FidelityPart* a, const FidelityPart* b) { return key(a) < key(b); });
  return parts;
}

struct Ends {
  double low, high;
};
std::optional<Ends> interval_of(const FidelityPart& part) {
  if (part.low && part.high) return Ends{*part.low, *part.high};
  if (part.se) return Ends{part.fidelity - interval_width * *part.se, part.fidelity + interval_width * *part.se};
  return std::nullopt;
}

std::string model_text(const Fidelity& fidelity) {
  const std::string learner = printable(fidelity.title.empty() ? fidelity.surrogate : fidelity.title, 60);
  if (fidelity.size == 0) return learner;
  return learner + ", " + std::to_string(fidelity.size) + " " +
         (fidelity.size_unit.empty() ? "parts" : printable(fidelity.size_unit, 40));
}

std::string log_loss_text(const FidelityPart& part) {
  return "log loss " + readable(*part.log_loss) + " to the model's probabilities, of which " +
         readable(*part.log_loss - *part.entropy) + " is the surrogate's doing";
}

// "the same class for 94 % of rows; log-loss 0.41 …".
std::string class_text(const std::string& log_loss, const FidelityPart& part) {
  return (part.agreement ? "the same class for " + percent(*part.agreement) + "; " : "") + log_loss + ".";
}

void fidelity_section(text::Page& page, const ItemGroup& group) {
  const Fidelity& fidelity = fidelity_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  std::string measure = fidelity_title(fidelity.measure);
  if (!page.unicode()) {
    if (const auto at = measure.find("²"); at != std::string::npos) measure.replace(at, 2, "^2");
  }
  page.title("Fidelity: " + model_text(fidelity) + (qualifier.empty() ? "" : page.dot() + qualifier), measure);
  auto parts = ordered(fidelity);
  const std::size_t all = parts.size();
  parts.resize(std::min(all, regions_in_picture + 2));
  std::vector<text::Bar> fidelity_bars;
  bool any_interval = false;
  for (const FidelityPart* part : parts) {
    const auto interval = interval_of(*part);
    any_interval = any_interval || interval.has_value();
  }
  for (const FidelityPart* part : parts) {
    text::Bar bar{.name = page.fitted(fidelity_part_text(*part), 40),
                  .value = std::max(part->fidelity, -1.0),
                  .cells = {page.ascii(readable_share(part->fidelity))},
                  .faded = part->rows == FidelityRows::region};
    const auto interval = interval_of(*part);
    if (any_interval) {
      bar.cells.push_back(interval ? page.ascii(readable_share(interval->low)) + " to " +
                                         page.ascii(readable_share(interval->high))
                                   : "");
    }
    bar.cells.push_back(page.ascii(readable(part->count)));
    fidelity_bars.push_back(std::move(bar));
  }
  std::vector<std::string> heads{"fidelity"};
  if (any_interval) heads.emplace_back("interval");
  heads.emplace_back("rows");
  page.bars(fidelity_bars, heads);
  if (all > parts.size())
    page.line(page.dim("  " + std::to_string(all - parts.size()) + " more regions; csv and json have all"));
  const FidelityPart* whole = overall_part(fidelity);
  for (const FidelityPart& part : fidelity.parts) {
    if (part.rows == FidelityRows::region || part.rows == FidelityRows::made || !part.log_loss || !part.entropy)
      continue;
    page.wrapped(
        "Of classes, on " + fidelity_part_text(part) + ": " + class_text(page.ascii(log_loss_text(part)), part), 2);
  }
  if (whole != nullptr && whole->model && whole->surrogate) {
    page.wrapped("To the truth, on " + fidelity_part_text(*whole) + ": small model " +
                     page.ascii(readable_share(*whole->surrogate)) + ", model " +
                     page.ascii(readable_share(*whole->model)) + ".",
                 2);
  }
  if (const std::string meaning = fidelity_meaning(fidelity.measure); page.unicode() && !meaning.empty())
    page.wrapped(meaning, 2);
}

Value fidelity_bars(const ItemGroup& group, std::size_t letters) {
  const Fidelity& fidelity = fidelity_of(group);
  auto parts = ordered(fidelity);
  if (parts.empty()) return vega::message_chart("nothing was measured");
  vega::LabelledBars chart;
  const bool lower = lower_is_better(fidelity.measure);
  chart.title = "fidelity to the model (" + fidelity_title(fidelity.measure) + ")";
  chart.groups = {"all", "", "region"};  // the first and the third colour
  const std::size_t all = parts.size();
  parts.resize(std::min(all, regions_in_picture + 2));
  chart.left_out = all - parts.size();
  double lowest = 0;
  for (const FidelityPart* part : parts) {
    const bool region = part->rows == FidelityRows::region;
    const auto interval = interval_of(*part);
    vega::LabelledBar bar{.label = fidelity_part_text(*part) + " · " + readable_share(part->fidelity) + " · " +
                                   readable(part->count) + " rows",
                          .value = part->fidelity,
                          .group = region ? "region" : "all"};
    if (interval) {
      bar.low = interval->low;
      bar.high = interval->high;
      bar.told.set("range", readable_share(interval->low) + " to " + readable_share(interval->high));
    }
    const double least = interval ? interval->low : part->fidelity;
    if (std::isfinite(least)) lowest = std::min(lowest, least);
    bar.told.set("part", printable(fidelity_part_text(*part, 40), 400))
        .set("fidelity", vega::plotted(part->fidelity, 4));
    bar.told.set("rows", vega::plotted(part->count));
    if (part->error) bar.told.set("error", vega::plotted(*part->error, 4));
    if (part->agreement && !is_share_of_rows(fidelity.measure)) bar.told.set("same", percent(*part->agreement));
    if (part->log_loss) bar.told.set("log_loss", vega::plotted(*part->log_loss, 4));
    if (part->log_loss && part->entropy) bar.told.set("excess", vega::plotted(*part->log_loss - *part->entropy, 4));
    if (part->within) bar.told.set("within", vega::plotted(*part->within, 4));
    if (part->model) bar.told.set("model", vega::plotted(*part->model, 4));
    if (part->surrogate) bar.told.set("truth", vega::plotted(*part->surrogate, 4));
    chart.bars.push_back(std::move(bar));
  }
  // R² has no lower end: one bad region must not shrink all others.
  if (!lower) {
    chart.fixed = true;
    chart.domain.add(std::max(lowest, -1.0));
    chart.domain.add(1);
  }
  if (const FidelityPart* part = overall_part(fidelity)) chart.line = part->fidelity;
  const auto any = [&](std::optional<double> FidelityPart::* member) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const FidelityPart* part) { return (part->*member).has_value(); });
  };
  chart.tooltip = {{"part", "rows where", false}, {"fidelity", "fidelity"}, {"rows", "rows"}};
  if (std::any_of(parts.begin(), parts.end(), [](const FidelityPart* part) { return interval_of(*part).has_value(); }))
    chart.tooltip.push_back({"range", "interval", false});
  if (any(&FidelityPart::error)) chart.tooltip.push_back({"error", "typical difference"});
  if (any(&FidelityPart::within)) chart.tooltip.push_back({"within", "R² about its own mean"});
  if (any(&FidelityPart::agreement) && !is_share_of_rows(fidelity.measure))
    chart.tooltip.push_back({"same", "same class", false});
  if (any(&FidelityPart::log_loss)) {
    chart.tooltip.push_back({"log_loss", "log loss"});
    chart.tooltip.push_back({"excess", "of it the small model's doing"});
  }
  if (any(&FidelityPart::surrogate)) chart.tooltip.push_back({"truth", "small model to the truth"});
  if (any(&FidelityPart::model)) chart.tooltip.push_back({"model", "model to the truth"});
  return labelled_bars(chart, letters);
}

std::string fidelity_description(const Result&, const ItemGroup& group) {
  const Fidelity& fidelity = fidelity_of(group);
  std::string text = "how well a small model (" + model_text(fidelity) + ") follows the model, by " +
                     fidelity_title(fidelity.measure) + ".";
  if (const FidelityPart* part = overall_part(fidelity)) {
    text += " " + capitalised(fidelity_part_text(*part)) + ": " + readable_share(part->fidelity);
    if (const auto interval = interval_of(*part))
      text += " (" + readable_share(interval->low) + " to " + readable_share(interval->high) + ")";
    text += ".";
  }
  if (const FidelityPart* worst = worst_region(fidelity))
    text += " Worst where " + fidelity_part_text(*worst) + ": " + readable_share(worst->fidelity) + ".";
  return text;
}

std::string fidelity_reading(const Result&, const ItemGroup& group) {
  const Fidelity& fidelity = fidelity_of(group);
  std::string text = fidelity_meaning(fidelity.measure);
  if (overall_part(fidelity) != nullptr)
    text += " The dashed line is the fidelity on " + fidelity_part_text(*overall_part(fidelity)) + ".";
  if (std::any_of(fidelity.parts.begin(), fidelity.parts.end(),
                  [](const FidelityPart& part) { return part.rows == FidelityRows::region; }))
    text +=
        " Regions are green, the worst first: where their bars end far from the line, the small model tells another "
        "story than the model.";
  if (is_share_of_variance(fidelity.measure) && worst_region(fidelity) != nullptr)
    text +=
        " R² of a region is 1 − mean squared difference there / variance over all rows, so that the worst is where "
        "the difference is largest.";
  return text;
}

std::vector<std::string> fidelity_chips(const ItemGroup& group) {
  const Fidelity& fidelity = fidelity_of(group);
  std::vector<std::string> list;
  if (fidelity.size > 0) {
    list.push_back(std::to_string(fidelity.size) + " " +
                   (fidelity.size_unit.empty() ? "parts" : printable(fidelity.size_unit, 40)));
  }
  if (const FidelityPart* part = overall_part(fidelity))
    list.push_back(fidelity_title(fidelity.measure) + " " + readable_share(part->fidelity));
  const FidelityPart* part = overall_part(fidelity);
  if (part != nullptr && part->agreement && !is_share_of_rows(fidelity.measure))
    list.push_back("same class for " + percent(*part->agreement));
  if (part != nullptr && part->log_loss && part->entropy)
    list.push_back("log loss " + readable(*part->log_loss) + ", " + readable(*part->log_loss - *part->entropy) +
                   " above the least possible");
  return list;
}

}  // namespace

ShapeView ViewOf<Fidelity>::view() {
  return {
      .text = fidelity_section,
      .chart = [](const Result&, const ItemGroup& group, int) { return fidelity_bars(group, vega::letters_per_line); },
      .chapter = model_chapter(20),
      .words = {.describe = fidelity_description, .how_to_read = fidelity_reading, .badges = fidelity_chips},
      .narrow_chart = [](const Result&,
                         const ItemGroup& group) { return fidelity_bars(group, vega::letters_per_narrow_line); }};
}

}  // namespace sightglass
