#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "server_bench/answer.h"

namespace pleiad::server_bench {

/// How a server is talked to.
enum class Api : std::uint8_t { ollama, openai };

/// Puts a streamed answer together: lines of JSON of Ollama's /api/chat, or events of
/// OpenAI's /v1/chat/completions with what llama-server adds to them (`timings`).
class AnswerReader {
 public:
  explicit AnswerReader(Api api) : api_(api) {}

  /// One line, which came so many seconds after the request was sent. Throws Error where
  /// it is not what the API says, or where it tells of an error.
  void take(std::string_view line, double seconds);

  /// The whole answer. Throws Error where the stream ended before its last part.
  Answer finish(double seconds);

  /// Parts with text or thoughts so far.
  std::int64_t n_pieces() const { return answer_.n_pieces; }

 private:
  void take_ollama(const Json& part, double seconds);
  void take_openai(const Json& part, double seconds);
  void take_model(const Json& part);
  void take_usage(const Json& usage);
  void take_timings(const Json& timings);
  void add_text(const Json& message, const char* text_key, double seconds);

  Api api_;
  Answer answer_;
  bool ended_ = false;
};

}  // namespace pleiad::server_bench
