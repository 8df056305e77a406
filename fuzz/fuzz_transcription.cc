// Forms that ask for the words of a sound: the first line is the type, the rest the body. One is
// read or refused with a RequestError; one that is read has one sound; and whatever is heard (the
// form's own prompt here), it can end no cue of a transcript and begin none.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/request_error.h"
#include "api/openai/transcriptions/transcript.h"
#include "api/openai/transcriptions/transcription_request.h"
#include "base/check.h"
#include "base/json.h"

namespace {

using namespace pleiad::api;

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

void check_cues(std::string_view cues, std::size_t n_cues, std::size_t n_blocks_before) {
  CHECK(count(cues, "-->") == n_cues);
  CHECK(count(cues, "\n\n") == n_blocks_before + n_cues);
}

void write_transcript(openai::TranscriptionRequest request, const std::string& said) {
  openai::Transcript transcript;
  transcript.seconds = 31.5;
  transcript.segments = {{0, 30, said}, {30, 31.5, ""}};
  const std::size_t n_cues = said.empty() ? 0 : 1;
  const auto written = [&](openai::TranscriptionFormat format) {
    request.format = format;
    return openai::transcript_response(transcript, request).body;
  };
  using Format = openai::TranscriptionFormat;
  check_cues(written(Format::srt), n_cues, 0);
  const std::string vtt = written(Format::vtt);
  CHECK(vtt.starts_with("WEBVTT\n\nNOTE"));
  check_cues(vtt, n_cues, 2);
  for (const Format format : {Format::json, Format::verbose_json}) {
    CHECK(pleiad::read_json(written(format), {}).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  for (const bool translates : {false, true}) {
    try {
      openai::TranscriptionRequest request = openai::read_transcription_request(
          input.substr(line + 1), input.substr(0, line), translates, SpareFields::tell);
      CHECK(request.answer.media.size() == 1);
      CHECK(request.answer.media[0].kind == pleiad::serving::MediaKind::sound);
      CHECK(request.answer.messages.size() == 1);
      const auto said = request.answer.messages[0]["content"][1]["text"].get<std::string>();
      write_transcript(std::move(request), said);
    } catch (const RequestError&) {
      // refused
    }
  }
  return 0;
}
