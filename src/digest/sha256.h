#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pleiad {

/// A SHA-256 that is fed piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }

  /// 64 hex digits; once, and last.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of a text, as 64 hex digits.
std::string sha256_hex(std::string_view text);

/// The 64 hex digits of "sha256:<64 hex digits>", in lower case; a Failure for
/// anything else, so that what comes from outside can become part of a path.
Result<std::string> digest_hex(std::string_view digest);

}  // namespace pleiad
