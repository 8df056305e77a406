#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace pleiad::download {

/// What kind of thing went wrong, for those who decide what to do next; the message says it in
/// words.
enum class Trouble : std::uint8_t {
  none,
  stopped,      // Stop said so
  not_trusted,  // the host's certificate
  unreachable,  // no host, no connection, no answer, or it broke off more often than is tried
  refused,  // the host's answer is a refusal (see Outcome::status()), or one that is not followed
  not_allowed,  // a URL or a redirect that this program does not follow: http, a private address
  wrong_bytes,  // too long, too short, or not what its SHA-256 says
  changed,      // the file changes on its host faster than it is read
  no_space,     // the disk is full, or would be
  local_file,   // the partial file cannot be opened, read or written
  busy,         // another process writes the partial file
};

/// What went wrong, on its way to an Outcome.
struct Problem {
  Trouble trouble = Trouble::none;
  std::string message = {};
  int status = 0;  // of the host's refusal
};

/// A value, or a Failure whose kind is known.
template <typename T>
class [[nodiscard]] Outcome : public Result<T> {
 public:
  Outcome(T value) : Result<T>(std::move(value)) {}  // NOLINT
  Outcome(Trouble trouble, std::string message, int status = 0)
      : Result<T>(Failure{std::move(message)}), trouble_(trouble), status_(status) {}
  Outcome(Problem problem)  // NOLINT
      : Outcome(problem.trouble, std::move(problem.message), problem.status) {}

  /// Trouble::none where there is a value.
  Trouble trouble() const { return trouble_; }
  /// The HTTP status of the host's refusal; 0 where that was not the trouble.
  int status() const { return status_; }

 private:
  Trouble trouble_ = Trouble::none;
  int status_ = 0;
};

}  // namespace pleiad::download
