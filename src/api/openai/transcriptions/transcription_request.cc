#include "api/openai/transcriptions/transcription_request.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "api/common/media_reader.h"
#include "api/common/request_error.h"
#include "api/openai/transcriptions/languages.h"
#include "base/text_format.h"
#include "base/utf8.h"
#include "http/multipart.h"

namespace pleiad::api::openai {
namespace {

/// What a clip of 30 s can come to: nobody says so much.
constexpr std::int64_t kMostTokensOfAClip = 1'000;
constexpr std::size_t kLongestHint = 10'000;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// The fields of a form, each once.
class FormReader {
 public:
  explicit FormReader(const std::vector<http::FormPart>& parts) {
    for (const http::FormPart& part : parts) {
      std::vector<const http::FormPart*>& same = fields_[part.name];
      same.push_back(&part);
      if (same.size() > 1 && !part.name.ends_with("[]")) {  // as lists are sent
        throw RequestError(printable(part.name), "is given twice");
      }
    }
  }

  const http::FormPart* find(const std::string& name) {
    const auto all = find_all(name);
    return all.empty() ? nullptr : all.front();
  }
  std::optional<std::string> text(const std::string& name) {
    const auto all = texts(name);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }
  /// Of a list, "name[]".
  std::vector<std::string> texts(const std::string& name) {
    std::vector<std::string> values;
    for (const http::FormPart* part : find_all(name)) {
      if (part->is_file || !is_utf8(part->content)) throw RequestError(name, "expected a text");
      values.emplace_back(part->content);
    }
    return values;
  }
  /// Of fields that nobody asked for.
  std::vector<std::string> unknown() const {
    std::vector<std::string> names;
    for (const auto& [name, all] : fields_) names.push_back(printable(name));
    return names;
  }

 private:
  std::vector<const http::FormPart*> find_all(const std::string& name) {
    auto node = fields_.extract(name);
    return node.empty() ? std::vector<const http::FormPart*>() : std::move(node.mapped());
  }

  std::map<std::string, std::vector<const http::FormPart*>> fields_;  // not asked for yet
};

TranscriptionFormat read_format(FormReader& form) {
  constexpr std::array<std::pair<std::string_view, TranscriptionFormat>, 5> kFormats = {{
      {"json", TranscriptionFormat::json},
      {"text", TranscriptionFormat::text},
      {"srt", TranscriptionFormat::srt},
      {"verbose_json", TranscriptionFormat::verbose_json},
      {"vtt", TranscriptionFormat::vtt},
  }};
  const auto said = form.text("response_format");
  if (!said) return TranscriptionFormat::json;
  for (const auto& [name, format] : kFormats) {
    if (*said == name) return format;
  }
  throw RequestError("response_format",
                     fmt::format("expected \"json\", \"text\", \"srt\", \"verbose_json\" or "
                                 "\"vtt\", found \"{}\"",
                                 printable(*said)));
}

double read_temperature(FormReader& form) {
  const auto said = form.text("temperature");
  if (!said || said->empty()) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(said->data(), said->data() + said->size(), value);
  if (error == std::errc() && end == said->data() + said->size() && value >= 0 && value <= 2) {
    return value;
  }
  throw RequestError("temperature",
                     fmt::format("expected a number from 0 to 2, found \"{}\"", printable(*said)));
}

/// What is not done here, and what an answer must not be without.
void refuse_others(FormReader& form) {
  const auto stream = form.text("stream");
  if (stream && *stream != "false" && !stream->empty()) {
    throw RequestError("stream", "not supported: a transcription comes as a whole");
  }
  for (const std::string& times : form.texts("timestamp_granularities[]")) {
    if (times == "segment") continue;
    throw RequestError("timestamp_granularities[]",
                       "expected \"segment\": words have no times here");
  }
}

std::string question(const TranscriptionRequest& request, std::string_view language,
                     const std::string& hint) {
  std::string text;
  if (request.translates) {
    text = language.empty()
               ? "Translate the speech into English."
               : fmt::format("Translate the speech, which is in {}, into English.", language);
    text += " Write the translation alone, on one line.";
  } else {
    text = language.empty()
               ? "Transcribe the speech in its own language."
               : fmt::format("Transcribe the speech, which is in {}, in {}.", language, language);
    text += " Write the transcription alone, on one line, and numbers with digits.";
  }
  if (!hint.empty()) text += fmt::format(" What is said may go on from this: {}", hint);
  return text;
}

}  // namespace

TranscriptionRequest read_transcription_request(std::string_view body,
                                                std::string_view content_type, bool translates,
                                                SpareFields spare) {
  const auto parts = http::parse_multipart(body, content_type);
  if (!parts) throw RequestError("", parts.message());
  FormReader form(parts.value());
  TranscriptionRequest request;
  request.translates = translates;
  serving::AnswerRequest& answer = request.answer;
  const auto model = form.text("model");
  if (!model) throw RequestError("model", "missing; expected a model's name");
  answer.model = *model;
  const http::FormPart* file = form.find("file");
  if (!file || !file->is_file) throw RequestError("file", "missing; expected a file with sound");
  RequestNotes notes(spare);
  MediaReader media(notes);
  Json sound =
      media.read_bytes(std::string(file->content), "", "file", "file", MediaReader::Kind::sound);
  answer.media = media.take();
  request.format = read_format(form);
  request.language = form.text("language").value_or("");
  std::string_view language;
  if (!request.language.empty()) {
    const auto known = language_name(request.language);
    if (!known) {
      throw RequestError("language", fmt::format("expected a language, as \"en\" or \"English\", "
                                                 "found \"{}\"",
                                                 printable(request.language)));
    }
    language = *known;
  }
  std::string hint = form.text("prompt").value_or("");
  if (hint.size() > kLongestHint) {
    throw RequestError("prompt", fmt::format("expected at most {} bytes", kLongestHint));
  }
  answer.sampling.temperature = read_temperature(form);
  refuse_others(form);
  answer.max_tokens = kMostTokensOfAClip;
  Json content = Json::array();
  content.push_back(std::move(sound));
  content.push_back({{"type", "text"}, {"text", question(request, language, hint)}});
  answer.messages.push_back({{"role", "user"}, {"content", std::move(content)}});
  answer.use_model_messages = false;
  for (const std::string& name : form.unknown()) notes.unknown(name);
  request.warnings = notes.take();
  return request;
}

}  // namespace pleiad::api::openai
