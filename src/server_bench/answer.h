#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pleiad::server_bench {

/// A part of the stream that carried text or thoughts.
struct Piece {
  double seconds = 0;  // when it came, after the request was sent
  std::size_t bytes = 0;
};

/// One answer of a server: what it says of itself beside what our clock saw. Seconds of
/// our clock count from the moment the request was sent.
struct Answer {
  double first_token_seconds = 0;  // until the first piece of text or of thoughts
  double last_token_seconds = 0;
  double total_seconds = 0;
  std::int64_t n_pieces = 0;  // parts of the stream that carried text or thoughts
  std::vector<Piece> pieces;  // of an answer that is not judged yet
  std::size_t text_bytes = 0;
  std::size_t thinking_bytes = 0;
  std::string shown;          // thoughts and text as they came, of an answer not judged yet
  std::string finish_reason;  // "length", "stop"; empty where none was told

  // Tokens of `shown` by the server's own count, as a prompt that it was asked afterwards.
  std::optional<std::int64_t> recounted_tokens;
  bool recount_failed = false;  // it was asked, and gave none

  // What the server tells, each only where it does.
  std::vector<std::string> models;            // who answers: every name that was told, once
  std::optional<std::int64_t> prompt_tokens;  // with those from its cache
  std::optional<std::int64_t> cached_tokens;
  std::optional<std::int64_t> generated_tokens;  // with those of thoughts
  std::optional<std::int64_t> thinking_tokens;
  std::optional<double> prompt_seconds;  // of the tokens that were not cached
  std::optional<double> generation_seconds;
  std::optional<double> load_seconds;
};

}  // namespace pleiad::server_bench
