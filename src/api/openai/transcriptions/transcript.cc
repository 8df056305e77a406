#include "api/openai/transcriptions/transcript.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"

namespace pleiad::api::openai {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";

Json segments_json(const Transcript& transcript) {
  Json segments = Json::array();
  for (const TranscriptSegment& segment : transcript.segments) {
    segments.push_back({{"id", segments.size()},
                        {"start", segment.start},
                        {"end", segment.end},
                        {"text", segment.text}});
  }
  return segments;
}

Json usage_json(const Transcript& transcript) {
  return {{"type", "tokens"},
          {"input_tokens", transcript.prompt_tokens},
          {"output_tokens", transcript.generated_tokens},
          {"total_tokens", transcript.prompt_tokens + transcript.generated_tokens},
          {"input_token_details",
           {{"audio_tokens", transcript.audio_tokens},
            {"text_tokens", transcript.prompt_tokens - transcript.audio_tokens}}}};
}

http::Response json_response(const Transcript& transcript, const TranscriptionRequest& request) {
  Json body = Json::object();
  if (request.format == TranscriptionFormat::verbose_json) {
    body["task"] = request.translates ? "translate" : "transcribe";
    body["language"] = request.translates         ? "en"
                       : request.language.empty() ? "unknown"
                                                  : request.language;
    body["duration"] = transcript.seconds;
    body["segments"] = segments_json(transcript);
  }
  body["text"] = transcript.text();
  body["usage"] = usage_json(transcript);
  if (!transcript.warnings.empty()) body["warnings"] = transcript.warnings;
  http::Response response;
  response.body = to_text(body);
  return response;
}

std::string srt(const Transcript& transcript) {
  std::string text;
  int number = 0;
  for (const TranscriptSegment& segment : transcript.segments) {
    text += fmt::format("{}\n{} --> {}\n{}\n\n", ++number, cue_time(segment.start, ','),
                        cue_time(segment.end, ','), segment.text);
  }
  return text;
}

std::string vtt(const Transcript& transcript) {
  std::string text =
      "WEBVTT\n\nNOTE Each cue is a clip of at most 30 s that was heard as a whole\n\n";
  for (const TranscriptSegment& segment : transcript.segments) {
    text += fmt::format("{} --> {}\n{}\n\n", cue_time(segment.start, '.'),
                        cue_time(segment.end, '.'), segment.text);
  }
  return text;
}

}  // namespace

std::string Transcript::text() const {
  std::string all;
  for (const TranscriptSegment& segment : segments) {
    if (!all.empty() && !segment.text.empty()) all += ' ';
    all += segment.text;
  }
  return all;
}

std::string cue_time(double seconds, char mark) {
  const auto ms = static_cast<std::int64_t>(std::llround(seconds * 1000));
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60,
                     mark, ms % 1000);
}

http::Response transcript_response(const Transcript& transcript,
                                   const TranscriptionRequest& request) {
  http::Response response;
  switch (request.format) {
    case TranscriptionFormat::text:
      response.content_type = kPlain;
      response.body = transcript.text() + "\n";
      return response;
    case TranscriptionFormat::srt:
      response.content_type = kPlain;
      response.body = srt(transcript);
      return response;
    case TranscriptionFormat::vtt:
      response.content_type = "text/vtt; charset=utf-8";
      response.body = vtt(transcript);
      return response;
    case TranscriptionFormat::json:
    case TranscriptionFormat::verbose_json:
      break;
  }
  return json_response(transcript, request);
}

}  // namespace pleiad::api::openai
