#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/openai/transcriptions/transcription_request.h"
#include "http/exchange.h"

namespace pleiad::api::openai {

/// The words of one clip of a sound.
struct TranscriptSegment {
  double start = 0;  // seconds: of the clip, for times within it are not known
  double end = 0;
  std::string text;
};

struct Transcript {
  double seconds = 0;  // of the sound
  std::vector<TranscriptSegment> segments;
  std::int64_t prompt_tokens = 0;
  std::int64_t audio_tokens = 0;  // of these
  std::int64_t generated_tokens = 0;
  std::vector<std::string> warnings;

  /// All of it, with a blank between clips.
  std::string text() const;
};

/// In the form that was asked for. Cues of SRT and WebVTT, and segments of verbose_json, are clips.
http::Response transcript_response(const Transcript& transcript,
                                   const TranscriptionRequest& request);

/// "01:02:03,450" or with another mark before the milliseconds.
std::string cue_time(double seconds, char mark);

}  // namespace pleiad::api::openai
