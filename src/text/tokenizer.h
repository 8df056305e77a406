#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/bpe.h"
#include "text/encode_limit.h"
#include "text/encoded_pieces.h"
#include "text/literal_matcher.h"
#include "text/prompt.h"
#include "text/tokenizer_spec.h"
#include "text/vocabulary.h"

namespace pleiad::text {

/// Gemma's tokenizer, token-exact with Hugging Face's `tokenizers`. Immutable
/// once built: any number of threads may use it. Nothing here adds <bos>.
class Tokenizer {
 public:
  /// Copies what it needs; the spec's memory may go away afterwards. Throws
  /// LoadError on a spec that contradicts itself.
  explicit Tokenizer(const TokenizerSpec& spec);

  const Vocabulary& vocabulary() const { return *vocabulary_; }

  /// What a user wrote: "<turn|>" is seven characters, never the control token.
  std::vector<TokenId> encode_text(std::string_view text) const;

  /// Control tokens that the text spells become control tokens, for prompts
  /// that are written by hand.
  std::vector<TokenId> encode_with_control(std::string_view text) const;

  /// Throws Error when the vocabulary lacks a control token of the prompt. A picture of the request
  /// becomes one kMediaToken, whose place Encoding::media tells.
  std::vector<TokenId> encode(const Prompt& prompt) const;

  /// The first control token of the prompt that the vocabulary lacks; nothing where it has them
  /// all.
  std::optional<std::string> missing_control(const Prompt& prompt) const;

  /// The same three within a limit. A text that is too long by its bytes alone is not looked at.
  Encoding encode_text(std::string_view text, const EncodeLimit& limit) const;
  Encoding encode_with_control(std::string_view text, const EncodeLimit& limit) const;
  Encoding encode(const Prompt& prompt, const EncodeLimit& limit) const;

  /// The first `count` tokens of encode_text(text), or all where there are not more; where there
  /// are, some may follow them. Reads little more of the text than these can stand for. A Failure
  /// where that would be too much: a mebibyte and more without a place to cut at.
  Result<Encoding> first_tokens(std::string_view text, std::size_t count) const;
  /// Likewise the last ones of encode_with_control(text); some may stand before them.
  Result<Encoding> last_tokens(std::string_view text, std::size_t count) const;

  /// Whether both sides of a place at which no piece reaches over are cut as they would be alone.
  bool cuts_by_what_is_near() const { return can_cut_; }

  /// No token stands for more bytes of a text; 0: there is no such limit.
  std::size_t longest_piece() const { return longest_piece_; }

  /// Text without control tokens; "�" for each byte that is not UTF-8.
  std::string decode(std::span<const TokenId> tokens) const;
  /// The same with the spelling of control tokens.
  std::string decode_with_control(std::span<const TokenId> tokens) const;
  /// Without control tokens, and the bytes as they are.
  std::string decode_bytes(std::span<const TokenId> tokens) const;

 private:
  enum class Controls { as_text, as_tokens };

  /// False where the limit was reached.
  bool encode_onto(EncodedPieces& out, std::string_view text, Controls controls) const;
  bool encode_after_first_cut(EncodedPieces& out, std::string_view text, Controls controls) const;
  bool encode_run(EncodedPieces& out, std::string_view text) const;
  template <typename EncodeRest>
  bool cut(const LiteralMatcher& matcher, std::string_view text, Controls controls,
           EncodedPieces& out, EncodeRest encode_rest) const;
  Encoding encode_within(std::string_view text, Controls controls, const EncodeLimit& limit) const;

  /// tokenizer_cut.cc: whether both parts of a text, encoded apart, give what the whole gives.
  bool can_cut_at(std::string_view text, std::size_t at) const;
  /// So many tokens stand for that many bytes, at least.
  std::uint64_t least_tokens(std::uint64_t n_bytes) const;

  // On the heap because Bpe refers to it and a Tokenizer can be moved.
  std::unique_ptr<const Vocabulary> vocabulary_;
  Bpe bpe_;
  LiteralMatcher literals_;             // looked for in the text as it is
  LiteralMatcher normalized_literals_;  // looked for after " " has become "▁"
  std::vector<LiteralPiece> greedy_;    // literals that take white space around them
  bool whole_piece_first_;
  std::size_t longest_piece_ = 0;
  bool can_cut_ = false;  // what stands at a place depends on what is near it alone
  std::string source_;
};

}  // namespace pleiad::text
