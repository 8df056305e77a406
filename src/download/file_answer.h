#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "download/response_headers.h"
#include "download/trouble.h"

namespace pleiad::download {

/// What was asked for, and what is known of the file.
struct Asked {
  std::string host = {};                   // for messages
  std::uint64_t first = 0, last = 0;       // of the range; last is included
  std::optional<std::uint64_t> size = {};  // of the file
  bool size_is_promised = false;           // by the caller, not by an answer before
  std::optional<EntityTag> tag = {};       // that the answer must not contradict
};

/// The headers of an answer that count here, as they came; empty: none.
struct FileHead {
  int status = 0;
  std::string_view content_range = {}, content_length = {}, content_encoding = {}, etag = {};
};

/// What an answer is to a request for a range of a file.
struct FileAnswer {
  enum class Kind : std::uint8_t {
    part,     // of what was asked for, from its beginning; `last` may be less
    whole,    // the file, from its first byte on
    past_end  // nothing: the file ends where the range begins
  } kind = Kind::part;
  std::uint64_t last = 0;
  std::uint64_t size = 0;  // of the file
  std::optional<EntityTag> tag = {};
};

/// Judges an answer with status 200, 206 or 416. Trouble::changed: it is another file than before.
/// Trouble::wrong_bytes: it is not the file that was promised. Trouble::refused: it cannot be
/// taken.
Outcome<FileAnswer> judge(const FileHead& head, const Asked& asked);

}  // namespace pleiad::download
