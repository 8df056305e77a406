#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "eval/divergence.h"
#include "eval/text_windows.h"
#include "text/token.h"

// A model's predictions for a text in a file, to compare others with. Of each token's
// distribution the likely part is kept: all tokens but so many of the unlikeliest that
// their probabilities sum up to `tail` at most. docs/evaluation.md describes the bytes.
namespace pleiad::eval {

struct SavedLogitsHeader {
  std::string model;  // whose predictions they are
  std::int64_t vocab_size = 0;
  std::uint64_t tokenizer = 0;  // the fingerprint of its vocabulary
  double tail = 1e-4;
  WindowOptions windows;
  text::TokenId bos = 0;
  std::vector<text::TokenId> tokens;  // the text, without <bos>
};

/// One token's distribution as it was kept.
struct SavedRow {
  std::vector<text::TokenId> ids;         // ascending
  std::vector<double> log_probabilities;  // of these; each within 2^-20 of what it was
  double tail = 0;                        // what all others sum up to
  double largest_in_tail = 0;             // log-probability of the likeliest of the others
  double target = 0;                      // log-probability of the token that came
  text::TokenId top = 0;                  // the likeliest token
};

class SavedLogitsWriter {
 public:
  /// 1e-7 <= header.tail <= 0.1. Throws Error that names the path.
  SavedLogitsWriter(const std::filesystem::path& path, const SavedLogitsHeader& header);

  /// The next token that counts, in the order of the windows.
  void add(std::span<const float> logits, text::TokenId target);

  /// The file is complete; without this there is none.
  void finish();

 private:
  void flush();

  OutputFile file_;
  double tail_;
  std::vector<std::byte> buffer_;
  std::vector<double> mass_;  // by how unlikely
};

class SavedLogitsReader {
 public:
  /// Throws LoadError that says what is damaged, or that it is another kind of file.
  static SavedLogitsReader open(const std::filesystem::path& path);
  /// For tests; `source` names the bytes in messages, which must outlive the reader.
  static SavedLogitsReader from_bytes(std::span<const std::byte> bytes, std::string source);

  const SavedLogitsHeader& header() const { return header_; }
  const std::string& source() const { return source_; }
  /// The windows of the header's text; rows come in their order.
  const std::vector<TextWindow>& windows() const { return windows_; }

  /// The next row into `row`; false after the last. Throws LoadError, FileChangedError among them.
  bool next(SavedRow& row);

  /// Reads all rows, so that damage is known before hours are spent. Throws LoadError.
  void check() const;

 private:
  SavedLogitsReader(std::span<const std::byte> bytes, std::string source);
  void read_header();
  bool read_row(SavedRow& row);

  std::unique_ptr<MappedFile> file_;
  std::span<const std::byte> bytes_;
  std::string source_;
  SavedLogitsHeader header_;
  std::vector<TextWindow> windows_;
  std::int64_t n_left_ = 0;
  std::size_t at_ = 0;
};

/// As RowComparison::compare, with a reference of which the likely part is known. The
/// tokens of the tail count as one, which never gives more than KL(P || Q); `bound` says by
/// how much it may be less: tail * log(largest in the tail of P / tail of P * tail of Q /
/// smallest in the tail of Q).
TokenComparison compare_saved(const SavedRow& reference, std::span<const float> judged,
                              text::TokenId target);

}  // namespace pleiad::eval
