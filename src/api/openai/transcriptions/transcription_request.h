#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/request_notes.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

enum class TranscriptionFormat : std::uint8_t { json, text, srt, verbose_json, vtt };

/// POST /v1/audio/transcriptions, or /v1/audio/translations (into English).
struct TranscriptionRequest {
  serving::AnswerRequest answer;  // asks for the words of a sound, its only medium
  TranscriptionFormat format = TranscriptionFormat::json;
  bool translates = false;
  std::string language;  // of the speech, as it was said; empty: not said
  std::vector<std::string> warnings;
};

/// Reads a form (multipart/form-data). Throws RequestError that names the field.
TranscriptionRequest read_transcription_request(std::string_view body,
                                                std::string_view content_type, bool translates,
                                                SpareFields spare);

}  // namespace pleiad::api::openai
