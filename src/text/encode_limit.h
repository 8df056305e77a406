#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "text/token.h"

namespace pleiad::text {

/// How far a text is encoded: what a client sends may be thousands of times longer than
/// what is of use.
struct EncodeLimit {
  std::size_t tokens = std::numeric_limits<std::size_t>::max();  // once there are more, it ends
  bool wants_them = false;  // the tokens themselves; else it may end as soon as it is clear that
                            // there will be more
  std::function<bool()> stop = {};  // may be empty; asked now and then, true: it ends
};

/// Stands in an encoding where a picture does, until it is expanded; no token's number.
inline constexpr TokenId kMediaToken = -1;

/// Where a medium of the request stands.
struct EncodedMedia {
  std::size_t at = 0;  // the place of its kMediaToken among the tokens
  int media = 0;       // as in Prompt::Segment

  bool operator==(const EncodedMedia&) const = default;
};

/// The first tokens of a text's whole encoding, of which later text would change nothing.
struct Encoding {
  std::vector<TokenId> tokens;
  std::vector<EncodedMedia> media;  // ascending; a text alone has none
  bool whole = true;                // nothing comes after them
  std::uint64_t least_count = 0;    // so many tokens the text has, at least; exact where whole
};

}  // namespace pleiad::text
