#include "serving/media/check_towers.h"

#include <fmt/format.h>

#include <utility>

#include "base/text_format.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

[[noreturn]] void refuse_blind(const AnswerRequest& request, const MediaPart& part,
                               const PromptTowers& towers) {
  if (!towers.vision.sees()) {
    refuse_tower(request, part, "has no vision tower that can be used", towers.vision.problem);
  }
  const std::string problem = problem_with(towers, MediaKind::video);
  refuse_tower(request, part, problem, problem);
}

[[noreturn]] void refuse_deaf(const AnswerRequest& request, const MediaPart& part,
                              const PromptTowers& towers) {
  refuse_tower(request, part, "has no audio tower that can be used", towers.audio.problem);
}

}  // namespace

void check_towers(const AnswerRequest& request, const PromptTowers& towers) {
  for (const MediaPart& part : request.media) {
    if (part.kind == MediaKind::picture && !towers.vision.sees()) {
      refuse_blind(request, part, towers);
    }
    if (part.kind == MediaKind::video && !towers.vision.watches()) {
      refuse_blind(request, part, towers);
    }
    if (is_heard(request, part) && !towers.audio.hears()) refuse_deaf(request, part, towers);
  }
}

bool is_heard(const AnswerRequest& request, const MediaPart& part) {
  if (part.kind != MediaKind::video) return part.kind == MediaKind::sound;
  return part.with_sound.value_or(request.videos_with_sound);
}

void refuse_part(const MediaPart& part, const std::string& problem) {
  throw RequestError(ServiceError::Code::bad_request, fmt::format("{}: {}", part.field, problem),
                     part.field);
}

/// Which files lie where is for whoever runs the server.
void refuse_tower(const AnswerRequest& request, const MediaPart& part, std::string_view what,
                  const std::string& why) {
  ServiceError told{ServiceError::Code::unsupported,
                    fmt::format("{}: {} {}", part.field, printable(request.model), what),
                    part.field};
  told.detail = fmt::format("{} {}", printable(request.model), why);
  throw RequestError(std::move(told));
}

}  // namespace pleiad::serving
