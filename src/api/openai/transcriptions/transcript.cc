#include "api/openai/transcriptions/transcript.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "api/openai/transcriptions/languages.h"
#include "base/ascii.h"
#include "base/json.h"

namespace pleiad::api::openai {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";

/// What is not known has the values that say nothing: clients demand the fields.
Json segments_json(const Transcript& transcript, double temperature) {
  constexpr double kFramesOfASecond = 100;  // that "seek" counts
  Json segments = Json::array();
  for (const TranscriptSegment& segment : transcript.segments) {
    segments.push_back({{"id", segments.size()},
                        {"seek", std::llround(segment.start * kFramesOfASecond)},
                        {"start", segment.start},
                        {"end", segment.end},
                        {"text", segment.text},
                        {"tokens", Json::array()},
                        {"temperature", temperature},
                        {"avg_logprob", 0.0},
                        {"compression_ratio", 1.0},
                        {"no_speech_prob", 0.0}});
  }
  return segments;
}

/// "portuguese"
std::string language_of(const TranscriptionRequest& request) {
  if (request.translates) return "english";
  const auto name = language_name(request.language);
  return name ? ascii_lower(*name) : "unknown";
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
    body["language"] = language_of(request);
    body["duration"] = transcript.seconds;
    body["segments"] = segments_json(transcript, request.answer.sampling.temperature.value_or(0));
  }
  body["text"] = transcript.text();
  body["usage"] = request.format == TranscriptionFormat::verbose_json
                      ? Json{{"type", "duration"}, {"seconds", transcript.seconds}}
                      : usage_json(transcript);
  std::vector<std::string> warnings = transcript.warnings;
  if (request.format == TranscriptionFormat::verbose_json) {
    warnings.emplace_back(
        "segments: tokens, avg_logprob, compression_ratio and no_speech_prob are not measured "
        "here; they have values that say nothing");
  }
  if (!warnings.empty()) body["warnings"] = std::move(warnings);
  http::Response response;
  response.body = to_text(body);
  return response;
}

/// What was heard, on one line and without the arrow of times: it can end no cue and begin none.
std::string cue_text(std::string_view said) {
  std::string text;
  for (const char c : said) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
    while (c == '>' && text.ends_with("--")) text.pop_back();  // "->", however long it was
    if (!is_blank) text += c;
    if (is_blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  return text;
}

std::string vtt_text(std::string_view said) {
  std::string text;
  for (const char c : cue_text(said)) {
    if (c == '&') {
      text += "&amp;";
    } else if (c == '<') {
      text += "&lt;";
    } else {
      text += c;
    }
  }
  return text;
}

std::string srt(const Transcript& transcript) {
  std::string text;
  int number = 0;
  for (const TranscriptSegment& segment : transcript.segments) {
    if (segment.text.empty()) continue;
    text += fmt::format("{}\n{} --> {}\n{}\n\n", ++number, cue_time(segment.start, ','),
                        cue_time(segment.end, ','), cue_text(segment.text));
  }
  return text;
}

std::string vtt(const Transcript& transcript) {
  std::string text =
      "WEBVTT\n\nNOTE Each cue is a clip of at most 30 s that was heard as a whole\n\n";
  for (const TranscriptSegment& segment : transcript.segments) {
    if (segment.text.empty()) continue;
    text += fmt::format("{} --> {}\n{}\n\n", cue_time(segment.start, '.'),
                        cue_time(segment.end, '.'), vtt_text(segment.text));
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
