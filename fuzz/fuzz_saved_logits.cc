// Any bytes at all, read as a file of saved logits and compared with a model's. Whatever is
// wrong must end in LoadError; what is accepted must give numbers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.h"
#include "eval/saved_logits.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    auto reader =
        pleiad::eval::SavedLogitsReader::from_bytes(std::as_bytes(std::span(data, size)), "fuzz");
    const pleiad::eval::SavedLogitsHeader& header = reader.header();
    for (const pleiad::eval::TextWindow& window : reader.windows()) {
      require(window.first >= 0 && window.first <= window.first_scored &&
              window.first_scored < window.last &&
              window.last <= static_cast<std::int64_t>(header.tokens.size()));
    }
    pleiad::eval::SavedRow row;
    constexpr std::int64_t kFewPieces = 5000;  // of more, comparing takes most of the time
    if (header.vocab_size <= kFewPieces) {
      std::vector<float> logits(static_cast<std::size_t>(header.vocab_size));
      for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i % 17);
      while (reader.next(row)) {
        require(std::is_sorted(row.ids.begin(), row.ids.end()));
        const auto found = pleiad::eval::compare_saved(row, logits, 0);
        require(std::isfinite(found.divergence) && found.divergence >= 0 && found.bound >= 0);
      }
    }
    while (reader.next(row)) {
    }
  } catch (const pleiad::LoadError& error) {
    require(error.what()[0] != '\0');
  }
  return 0;
}
