#pragma once

#include <string>
#include <string_view>

#include "engine/media/prompt_towers.h"
#include "serving/answer.h"
#include "serving/media/media.h"

namespace pleiad::serving {

/// Throws RequestError where the request has media and the model no tower for them:
/// "messages[0].images[0]: demo has no vision tower that can be used". Why is for the log.
void check_towers(const AnswerRequest& request, const PromptTowers& towers);

/// Whether the audio tower is needed for it.
bool is_heard(const AnswerRequest& request, const MediaPart& part);

/// Throws RequestError: "FIELD: PROBLEM", the request's fault.
[[noreturn]] void refuse_part(const MediaPart& part, const std::string& problem);
/// The same, "FIELD: MODEL WHAT", the model's. `why` is for the log.
[[noreturn]] void refuse_tower(const AnswerRequest& request, const MediaPart& part,
                               std::string_view what, const std::string& why);

}  // namespace pleiad::serving
