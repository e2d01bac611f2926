// All that a C++ program needs: open a model and data, explain, show and save.
//
//   const auto model = sightglass::load_model("model.json");
//   const auto data = sightglass::scan({.path = "bike.csv"});
//   const auto result = sightglass::ale(*model, *data, {.features = {"temp"}});
//   std::cout << sightglass::render_text(result);
//
// Whatever is in the catalogue is also run by its name, with groups of rows: explain() in plans/explain.h.
#pragma once

#include "sightglass/base/context.h"
#include "sightglass/base/error.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/data/table.h"
#include "sightglass/methods/all_methods.h"
#include "sightglass/model/load.h"
#include "sightglass/model/no_model.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/html_renderer.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "sightglass/result/result.h"
#include "sightglass/result/saved_results.h"
