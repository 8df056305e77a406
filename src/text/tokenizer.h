#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/bpe.h"
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

  /// Throws Error when the vocabulary lacks a control token of the prompt.
  std::vector<TokenId> encode(const Prompt& prompt) const;

  /// Text without control tokens; "�" for each byte that is not UTF-8.
  std::string decode(std::span<const TokenId> tokens) const;
  /// The same with the spelling of control tokens.
  std::string decode_with_control(std::span<const TokenId> tokens) const;
  /// Without control tokens, and the bytes as they are.
  std::string decode_bytes(std::span<const TokenId> tokens) const;

 private:
  enum class Controls { as_text, as_tokens };

  void encode_onto(std::vector<TokenId>& out, std::string_view text, Controls controls) const;
  void encode_after_first_cut(std::vector<TokenId>& out, std::string_view text,
                              Controls controls) const;
  void encode_run(std::vector<TokenId>& out, std::string_view text) const;
  template <typename EncodeRest>
  void cut(const LiteralMatcher& matcher, std::string_view text, Controls controls,
           std::vector<TokenId>& out, EncodeRest encode_rest) const;

  // On the heap because Bpe refers to it and a Tokenizer can be moved.
  std::unique_ptr<const Vocabulary> vocabulary_;
  Bpe bpe_;
  LiteralMatcher literals_;             // looked for in the text as it is
  LiteralMatcher normalized_literals_;  // looked for after " " has become "▁"
  std::vector<LiteralPiece> greedy_;    // literals that take white space around them
  bool whole_piece_first_;
  std::string source_;
};

}  // namespace pleiad::text
