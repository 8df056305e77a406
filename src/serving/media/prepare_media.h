#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "serving/answer.h"
#include "serving/media/media_tools.h"
#include "serving/pool/model_runtime.h"

namespace pleiad::serving {

/// Reads the media of a request, each as the model will see or hear it. Waits, so it is nothing for
/// a thread that must not. Throws RequestError that names the part: the model has no tower for it,
/// it cannot be read or fetched, or they are too many or too large together; busy where what others
/// sent leaves no room. `stop` (may be empty) is asked several times a second;
/// once it says true an Error ends the work.
///
/// Empty where another answer to the same request reads one of them just now: then `again` is
/// called once that is over, from its thread, and all is to be asked anew. What could not be read
/// for one of the answers is not tried for the next.
std::optional<std::vector<std::shared_ptr<const PreparedMedia>>> prepare_media(
    const AnswerRequest& request, const PromptTowers& towers, const MediaTools& tools,
    const std::function<bool()>& stop, const std::function<void()>& again);

/// What prompts are made with of it.
std::vector<ShownMedia> shown_of(const AnswerRequest& request,
                                 std::span<const std::shared_ptr<const PreparedMedia>> prepared);

}  // namespace pleiad::serving
