#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pleiad::server_bench {

/// One answer of a server: what it says of itself beside what our clock saw. Seconds of
/// our clock count from the moment the request was sent.
struct Answer {
  double first_token_seconds = 0;  // until the first piece of text or of thoughts
  double last_token_seconds = 0;
  double total_seconds = 0;
  std::int64_t n_pieces = 0;  // parts of the stream that carried text or thoughts
  std::size_t text_bytes = 0;
  std::size_t thinking_bytes = 0;
  std::string finish_reason;  // "length", "stop"; empty where none was told

  // What the server tells, each only where it does.
  std::optional<std::int64_t> prompt_tokens;  // with those from its cache
  std::optional<std::int64_t> cached_tokens;
  std::optional<std::int64_t> generated_tokens;  // with those of thoughts
  std::optional<std::int64_t> thinking_tokens;
  std::optional<double> prompt_seconds;  // of the tokens that were not cached
  std::optional<double> generation_seconds;
  std::optional<double> load_seconds;
};

}  // namespace pleiad::server_bench
