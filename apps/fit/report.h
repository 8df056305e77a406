#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/advice.h"

namespace pleiad::apps {

/// What `pleiad fit` has to say.
struct FitReport {
  fit::Machine machine;
  std::string instructions;  // of the matrix rate: "amx_bf16"; empty: not measured
  int threads = 0;           // 0: another machine
  fit::Question question;
  std::vector<fit::Answer> answers;
  std::vector<fit::VisionAnswer> vision;
  std::vector<fit::AudioAnswer> audio;
  std::optional<std::size_t> recommended;
};

std::string fit_as_text(const FitReport& report);
std::string fit_as_json(const FitReport& report);

/// The public measurements of the question's members, with the prediction for the
/// same bandwidth where that is known.
std::string published_as_text(const fit::Question& question);
std::string published_as_json(const fit::Question& question);

}  // namespace pleiad::apps
