#pragma once

#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "apps/quantize/report.h"
#include "apps/quantize/write_model.h"
#include "quantize/encode.h"

namespace pleiad::apps {

/// What `pleiad quantize` is asked.
struct QuantizeAsk {
  WriteFlags write;
  std::string type;               // "q4_0", "nvfp4a16", ...
  std::vector<std::string> keep;  // "ple=q8_0"
  quantize::Rounding rounding = quantize::Rounding::search;
  std::string calibrate;        // a file of text; empty: all columns count alike
  bool from_quantized = false;  // also of a source with less than six bits a weight
};

/// Writes a smaller file of a model. Throws UsageError, Error, LoadError, and what the watch
/// throws: then nothing was written.
WrittenModel quantize_model(const QuantizeAsk& ask, const Environment& environment,
                            const WriteWatch& watch);

}  // namespace pleiad::apps
