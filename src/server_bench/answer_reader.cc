#include "server_bench/answer_reader.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text_format.h"
#include "server_bench/json_fields.h"

namespace pleiad::server_bench {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr double kMilliseconds = 1e3;

/// The words of an error, in whichever form.
std::string error_words(const Json& error) {
  if (error.is_string()) return printable(error.get<std::string>(), 500);
  if (error.is_object() && error.contains("message") && error["message"].is_string()) {
    return printable(error["message"].get<std::string>(), 500);
  }
  return printable(to_text(error), 500);
}

Json parse_part(std::string_view text) {
  Json part = parse_json(text, "the stream of the answer");
  if (!part.is_object()) {
    throw Error("the stream of the answer: expected objects, found {}", printable(text));
  }
  if (part.contains("error") && !part["error"].is_null()) {
    throw Error("the server says: {}", error_words(part["error"]));
  }
  return part;
}

bool take_prefix(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  return true;
}

}  // namespace

void AnswerReader::take(std::string_view line, double seconds) {
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  if (line.empty() || ended_) return;
  if (api_ == Api::ollama) {
    take_ollama(parse_part(line), seconds);
    return;
  }
  if (take_prefix(line, "data:")) {
    if (line == "[DONE]") {
      ended_ = true;
    } else {
      take_openai(parse_part(line), seconds);
    }
    return;
  }
  if (take_prefix(line, "error:")) {
    throw Error("the server says: {}", printable(line, 500));
  }
  const bool is_of_a_stream = line.starts_with(':') || line.starts_with("event:") ||
                              line.starts_with("id:") || line.starts_with("retry:");
  if (!is_of_a_stream) {
    throw Error("the stream of the answer: expected events (\"data: ...\"), found {}",
                printable(line));
  }
}

void AnswerReader::add_text(const Json& message, const char* text_key, double seconds) {
  const std::string text = find_text(message, text_key);
  // One of the three names; where there are two of them they say the same.
  std::string thoughts;
  for (const char* key : {"thinking", "reasoning_content", "reasoning"}) {
    std::string found = find_text(message, key);
    if (found.size() > thoughts.size()) thoughts = std::move(found);
  }
  if (text.empty() && thoughts.empty()) return;
  if (answer_.n_pieces++ == 0) answer_.first_token_seconds = seconds;
  answer_.last_token_seconds = seconds;
  answer_.text_bytes += text.size();
  answer_.thinking_bytes += thoughts.size();
  // What is longer is no answer to judge; a server shall not fill our memory.
  constexpr std::size_t kMostText = std::size_t{4} << 20;
  constexpr std::size_t kMostPieces = std::size_t{1} << 18;
  if (answer_.shown.size() < kMostText) answer_.shown += thoughts + text;
  if (answer_.pieces.size() < kMostPieces) {
    answer_.pieces.push_back({seconds, thoughts.size() + text.size()});
  }
}

void AnswerReader::take_model(const Json& part) {
  constexpr std::size_t kMost = 4;
  std::string name = find_text(part, "model");
  if (name.empty() || answer_.models.size() >= kMost) return;
  if (std::find(answer_.models.begin(), answer_.models.end(), name) == answer_.models.end()) {
    answer_.models.push_back(std::move(name));
  }
}

void AnswerReader::take_ollama(const Json& part, double seconds) {
  take_model(part);
  if (const Json* message = find_object(part, "message")) add_text(*message, "content", seconds);
  const auto done = part.find("done");
  if (done == part.end() || !done->is_boolean() || !done->get<bool>()) return;
  ended_ = true;
  answer_.finish_reason = find_text(part, "done_reason");
  answer_.prompt_tokens = find_count(part, "prompt_eval_count");
  answer_.cached_tokens = find_count(part, "prompt_eval_cached_count");
  answer_.generated_tokens = find_count(part, "eval_count");
  answer_.prompt_seconds = find_seconds(part, "prompt_eval_duration", kNanoseconds);
  answer_.generation_seconds = find_seconds(part, "eval_duration", kNanoseconds);
  answer_.load_seconds = find_seconds(part, "load_duration", kNanoseconds);
}

void AnswerReader::take_openai(const Json& part, double seconds) {
  take_model(part);
  if (const auto choices = part.find("choices"); choices != part.end() && !choices->is_null()) {
    if (!choices->is_array()) throw Error("choices: expected a list");
    for (const Json& choice : *choices) {
      if (!choice.is_object()) throw Error("choices: expected objects");
      if (const Json* delta = find_object(choice, "delta")) add_text(*delta, "content", seconds);
      const std::string reason = find_text(choice, "finish_reason");
      if (!reason.empty()) answer_.finish_reason = reason;
    }
  }
  if (const Json* usage = find_object(part, "usage")) take_usage(*usage);
  if (const Json* timings = find_object(part, "timings")) take_timings(*timings);
}

void AnswerReader::take_usage(const Json& usage) {
  answer_.prompt_tokens = find_count(usage, "prompt_tokens");
  answer_.generated_tokens = find_count(usage, "completion_tokens");
  if (const Json* details = find_object(usage, "prompt_tokens_details")) {
    answer_.cached_tokens = find_count(*details, "cached_tokens");
  }
  if (const Json* details = find_object(usage, "completion_tokens_details")) {
    answer_.thinking_tokens = find_count(*details, "reasoning_tokens");
  }
}

void AnswerReader::take_timings(const Json& timings) {
  answer_.prompt_seconds = find_seconds(timings, "prompt_ms", kMilliseconds);
  answer_.generation_seconds = find_seconds(timings, "predicted_ms", kMilliseconds);
  const auto evaluated = find_count(timings, "prompt_n");
  const auto cached = find_count(timings, "cache_n");
  if (cached) answer_.cached_tokens = cached;
  // Where no usage is told: prompt_n are those that did not come from the cache.
  if (evaluated && !answer_.prompt_tokens) answer_.prompt_tokens = *evaluated + cached.value_or(0);
  const auto generated = find_count(timings, "predicted_n");
  if (generated && !answer_.generated_tokens) answer_.generated_tokens = generated;
}

Answer AnswerReader::finish(double seconds) {
  if (!ended_ && answer_.finish_reason.empty()) {
    throw Error("the stream of the answer ended before its last part, after {} pieces of text",
                answer_.n_pieces);
  }
  answer_.total_seconds = seconds;
  return answer_;
}

}  // namespace pleiad::server_bench
