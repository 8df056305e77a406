#pragma once

#include <cstdint>
#include <vector>

namespace pleiad::eval {

/// How a text is cut for evaluation.
enum class WindowMethod : std::uint8_t {
  /// Windows overlap, so that every token of the text counts exactly once, with at
  /// least `context - 1 - stride` tokens of the text before it (but for the first ones).
  sliding,
  /// As llama-perplexity does it: chunks beside each other, of which the second half counts.
  chunks,
};

struct WindowOptions {
  WindowMethod method = WindowMethod::sliding;
  std::int64_t context = 1024;   // tokens of one window, <bos> among them
  std::int64_t stride = 512;     // sliding: text tokens from one window to the next
  std::int64_t max_windows = 0;  // 0: the whole text
};

/// One sequence to compute: <bos>, then tokens [first, last) of the text. Tokens [first_scored,
/// last) count, each by its probability after what stands before it in the window.
struct TextWindow {
  std::int64_t first = 0;
  std::int64_t first_scored = 0;
  std::int64_t last = 0;

  std::int64_t n_scored() const { return last - first_scored; }
  bool operator==(const TextWindow&) const = default;
};

/// The windows of a text of `n_tokens` tokens without <bos>. sliding: none where the text is
/// empty; chunks: as many as are full. `context` is at least 2 (chunks: 4), 1 <= stride < context.
std::vector<TextWindow> cut_windows(std::int64_t n_tokens, const WindowOptions& options);

}  // namespace pleiad::eval
