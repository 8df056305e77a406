#include "eval/text_windows.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad::eval {
namespace {

std::vector<TextWindow> sliding_windows(std::int64_t n_tokens, const WindowOptions& options) {
  const std::int64_t room = options.context - 1;  // beside <bos>
  CHECK(room >= 1 && options.stride >= 1 && options.stride <= room, "context {}, stride {}",
        options.context, options.stride);
  std::vector<TextWindow> windows;
  std::int64_t scored = 0;
  for (std::int64_t first = 0; scored < n_tokens; first += options.stride) {
    const std::int64_t last = std::min(first + room, n_tokens);
    windows.push_back({first, scored, last});
    scored = last;
  }
  return windows;
}

// llama-perplexity puts <bos> before the text, cuts it in chunks of the context, puts <bos> over
// the first token of each, and scores what the logits at positions [context / 2, context - 1) of
// a chunk predict. Token i of the text stands at i + 1 there.
std::vector<TextWindow> chunk_windows(std::int64_t n_tokens, const WindowOptions& options) {
  const std::int64_t context = options.context;
  CHECK(context >= 4, "context {}", context);
  std::vector<TextWindow> windows;
  for (std::int64_t start = 0; start + context <= n_tokens + 1; start += context) {
    windows.push_back({start, start + context / 2, start + context - 1});
  }
  return windows;
}

}  // namespace

std::vector<TextWindow> cut_windows(std::int64_t n_tokens, const WindowOptions& options) {
  auto windows = options.method == WindowMethod::sliding ? sliding_windows(n_tokens, options)
                                                         : chunk_windows(n_tokens, options);
  if (options.max_windows > 0 && std::ssize(windows) > options.max_windows) {
    windows.resize(static_cast<std::size_t>(options.max_windows));
  }
  return windows;
}

}  // namespace pleiad::eval
