// The list of all methods: a line makes one part of the catalogue, another lets C++ programs call it with its own
// options,
//   ale(model, data, {.features = {"temp"}})
// Few look at it; who wants a method by its name asks the registry.
#pragma once

#include <vector>

#include "sightglass/methods/effects/ale.h"
#include "sightglass/methods/effects/ice.h"
#include "sightglass/methods/effects/m_plot.h"
#include "sightglass/methods/effects/partial_dependence.h"
#include "sightglass/methods/effects/regional_effects.h"
#include "sightglass/methods/examples/neighbors.h"
#include "sightglass/methods/examples/prototypes.h"
#include "sightglass/methods/importance/model_reliance.h"
#include "sightglass/methods/importance/pd_importance.h"
#include "sightglass/methods/importance/performance.h"
#include "sightglass/methods/importance/permutation_importance.h"
#include "sightglass/methods/interactions/decomposition.h"
#include "sightglass/methods/interactions/interactions.h"
#include "sightglass/methods/local/anchors.h"
#include "sightglass/methods/local/anchors_text.h"
#include "sightglass/methods/local/counterfactuals.h"
#include "sightglass/methods/local/intrinsic.h"
#include "sightglass/methods/local/lime.h"
#include "sightglass/methods/local/lime_image.h"
#include "sightglass/methods/local/lime_text.h"
#include "sightglass/methods/local/shap.h"
#include "sightglass/methods/local/what_if.h"
#include "sightglass/methods/performance/calibration.h"
#include "sightglass/methods/performance/confusion_matrix.h"
#include "sightglass/methods/performance/error_regions.h"
#include "sightglass/methods/performance/precision_recall.h"
#include "sightglass/methods/performance/residuals.h"
#include "sightglass/methods/performance/roc.h"
#include "sightglass/methods/performance/threshold.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/methods/surrogates/surrogate.h"

namespace sightglass {

[[nodiscard]] inline std::vector<MethodEntry> all_methods() {
  return {
      partial_dependence(),
      ice(),
      regional_effects(),
      ale(),
      m_plot(),
      interactions(),
      decomposition(),
      performance(),
      confusion_matrix(),
      roc(),
      precision_recall(),
      calibration(),
      threshold(),
      residuals(),
      error_regions(),
      permutation_importance(),
      model_reliance(),
      pd_importance(),
      shap(),
      what_if(),
      lime(),
      lime_text(),
      lime_image(),
      anchors(),
      anchors_text(),
      counterfactuals(),
      intrinsic(),
      surrogate(),
      prototypes(),
      neighbors(),
  };
}

// Each over all rows of the data, with what every run can be told beside the method's own options; a context of the
// caller's can stop it and limits its threads.
[[nodiscard]] inline Result partial_dependence(const Model& model, const Source& data,
                                               const PartialDependenceOptions& options = {},
                                               const RunOptions& told = {}, const CallContext& context = {}) {
  return run(partial_dependence(), model, data, options, told, context);
}
[[nodiscard]] inline Result ice(const Model& model, const Source& data, const IceOptions& options = {},
                                const RunOptions& told = {}, const CallContext& context = {}) {
  return run(ice(), model, data, options, told, context);
}
[[nodiscard]] inline Result regional_effects(const Model& model, const Source& data,
                                             const RegionalEffectsOptions& options = {}, const RunOptions& told = {},
                                             const CallContext& context = {}) {
  return run(regional_effects(), model, data, options, told, context);
}
[[nodiscard]] inline Result ale(const Model& model, const Source& data, const AleOptions& options = {},
                                const RunOptions& told = {}, const CallContext& context = {}) {
  return run(ale(), model, data, options, told, context);
}
[[nodiscard]] inline Result m_plot(const Model& model, const Source& data, const MPlotOptions& options = {},
                                   const RunOptions& told = {}, const CallContext& context = {}) {
  return run(m_plot(), model, data, options, told, context);
}
[[nodiscard]] inline Result interactions(const Model& model, const Source& data,
                                         const InteractionsOptions& options = {}, const RunOptions& told = {},
                                         const CallContext& context = {}) {
  return run(interactions(), model, data, options, told, context);
}
[[nodiscard]] inline Result decomposition(const Model& model, const Source& data,
                                          const DecompositionOptions& options = {}, const RunOptions& told = {},
                                          const CallContext& context = {}) {
  return run(decomposition(), model, data, options, told, context);
}
[[nodiscard]] inline Result performance(const Model& model, const Source& data, const PerformanceOptions& options = {},
                                        const RunOptions& told = {}, const CallContext& context = {}) {
  return run(performance(), model, data, options, told, context);
}
[[nodiscard]] inline Result confusion_matrix(const Model& model, const Source& data,
                                             const ConfusionMatrixOptions& options = {}, const RunOptions& told = {},
                                             const CallContext& context = {}) {
  return run(confusion_matrix(), model, data, options, told, context);
}
[[nodiscard]] inline Result roc(const Model& model, const Source& data, const RocOptions& options = {},
                                const RunOptions& told = {}, const CallContext& context = {}) {
  return run(roc(), model, data, options, told, context);
}
[[nodiscard]] inline Result precision_recall(const Model& model, const Source& data,
                                             const PrecisionRecallOptions& options = {}, const RunOptions& told = {},
                                             const CallContext& context = {}) {
  return run(precision_recall(), model, data, options, told, context);
}
[[nodiscard]] inline Result calibration(const Model& model, const Source& data, const CalibrationOptions& options = {},
                                        const RunOptions& told = {}, const CallContext& context = {}) {
  return run(calibration(), model, data, options, told, context);
}
[[nodiscard]] inline Result threshold(const Model& model, const Source& data, const ThresholdOptions& options = {},
                                      const RunOptions& told = {}, const CallContext& context = {}) {
  return run(threshold(), model, data, options, told, context);
}
[[nodiscard]] inline Result residuals(const Model& model, const Source& data, const ResidualsOptions& options = {},
                                      const RunOptions& told = {}, const CallContext& context = {}) {
  return run(residuals(), model, data, options, told, context);
}
[[nodiscard]] inline Result error_regions(const Model& model, const Source& data,
                                          const ErrorRegionsOptions& options = {}, const RunOptions& told = {},
                                          const CallContext& context = {}) {
  return run(error_regions(), model, data, options, told, context);
}
[[nodiscard]] inline Result permutation_importance(const Model& model, const Source& data,
                                                   const PermutationImportanceOptions& options = {},
                                                   const RunOptions& told = {}, const CallContext& context = {}) {
  return run(permutation_importance(), model, data, options, told, context);
}
[[nodiscard]] inline Result model_reliance(const Model& model, const Source& data,
                                           const ModelRelianceOptions& options = {}, const RunOptions& told = {},
                                           const CallContext& context = {}) {
  return run(model_reliance(), model, data, options, told, context);
}
[[nodiscard]] inline Result pd_importance(const Model& model, const Source& data,
                                          const PdImportanceOptions& options = {}, const RunOptions& told = {},
                                          const CallContext& context = {}) {
  return run(pd_importance(), model, data, options, told, context);
}
[[nodiscard]] inline Result shap(const Model& model, const Source& data, const ShapOptions& options = {},
                                 const RunOptions& told = {}, const CallContext& context = {}) {
  return run(shap(), model, data, options, told, context);
}
[[nodiscard]] inline Result what_if(const Model& model, const Source& data, const WhatIfOptions& options = {},
                                    const RunOptions& told = {}, const CallContext& context = {}) {
  return run(what_if(), model, data, options, told, context);
}
[[nodiscard]] inline Result lime(const Model& model, const Source& data, const LimeOptions& options = {},
                                 const RunOptions& told = {}, const CallContext& context = {}) {
  return run(lime(), model, data, options, told, context);
}
[[nodiscard]] inline Result intrinsic(const Model& model, const Source& data, const IntrinsicOptions& options = {},
                                      const RunOptions& told = {}, const CallContext& context = {}) {
  return run(intrinsic(), model, data, options, told, context);
}
[[nodiscard]] inline Result counterfactuals(const Model& model, const Source& data,
                                            const CounterfactualsOptions& options, const RunOptions& told = {},
                                            const CallContext& context = {}) {
  return run(counterfactuals(), model, data, options, told, context);
}
[[nodiscard]] inline Result anchors(const Model& model, const Source& data, const AnchorsOptions& options = {},
                                    const RunOptions& told = {}, const CallContext& context = {}) {
  return run(anchors(), model, data, options, told, context);
}
[[nodiscard]] inline Result anchors_text(const Model& model, const Source& data, const AnchorsTextOptions& options = {},
                                         const RunOptions& told = {}, const CallContext& context = {}) {
  return run(anchors_text(), model, data, options, told, context);
}
[[nodiscard]] inline Result lime_text(const Model& model, const Source& data, const LimeTextOptions& options = {},
                                      const RunOptions& told = {}, const CallContext& context = {}) {
  return run(lime_text(), model, data, options, told, context);
}
[[nodiscard]] inline Result lime_image(const Model& model, const Source& data, const LimeImageOptions& options = {},
                                       const RunOptions& told = {}, const CallContext& context = {}) {
  return run(lime_image(), model, data, options, told, context);
}
[[nodiscard]] inline Result surrogate(const Model& model, const Source& data, const SurrogateOptions& options = {},
                                      const RunOptions& told = {}, const CallContext& context = {}) {
  return run(surrogate(), model, data, options, told, context);
}

[[nodiscard]] inline Result prototypes(const Model& model, const Source& data, const PrototypesOptions& options = {},
                                       const RunOptions& told = {}, const CallContext& context = {}) {
  return run(prototypes(), model, data, options, told, context);
}

[[nodiscard]] inline Result neighbors(const Model& model, const Source& data, const NeighborsOptions& options = {},
                                      const RunOptions& told = {}, const CallContext& context = {}) {
  return run(neighbors(), model, data, options, told, context);
}

}  // namespace sightglass
