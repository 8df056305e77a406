#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "download/exchange.h"
#include "download/window.h"

namespace pleiad::download {

/// A piece that is to be fetched, or the rest of one.
struct Task {
  Piece* piece = nullptr;  // none: there is nothing to do
  int n_failures = 0;      // in a row, without kWorthAnAttempt between them
  double not_before = 0;   // of monotonic_seconds()
};

/// Bytes that an attempt has to bring so that a failure after them is no repetition of the one
/// before: a host that sends a byte each time would be asked for ever.
inline constexpr std::uint64_t kWorthAnAttempt = 64 << 10;

/// One of a file's connections, and what it is at.
struct Lane {
  explicit Lane(Network& network) : exchange(network) {}

  /// What the answer turned out to be.
  enum class Answer : std::uint8_t { none, redirect, part, whole, past_end, refusal };

  Exchange exchange;
  Task task;
  Target target;
  int n_redirects = 0;
  int generation = 0;      // of the way, when it set out
  bool finds_way = false;  // it follows the URL's redirects, for all
  Answer answer = Answer::none;
  std::uint64_t position = 0;  // in the file, of the next byte
  std::uint64_t end = 0;       // in the file, of the answer
  std::uint64_t n_came = 0;    // bytes of the file
  std::size_t n_dropped = 0;   // bytes of other answers
  std::string text;            // of a refusal: its beginning
  double began = 0;            // of monotonic_seconds()
};

}  // namespace pleiad::download
