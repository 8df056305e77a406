#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/token.h"

namespace pleiad::text {

/// Joins two neighbouring pieces; its place in the list is its rank.
struct Merge {
  std::string_view left;
  std::string_view right;
};

/// A piece that is cut out of the text before merging, wherever it is spelled.
struct LiteralPiece {
  TokenId id = 0;
  bool in_normalized_text = false;  // looked for after " " has become "▁"
  bool eats_space_before = false;
  bool eats_space_after = false;
};

/// What a file says about its tokenizer. Only views: the file's memory must
/// live until the Tokenizer has been built from it (which copies).
struct TokenizerSpec {
  std::string source;                    // for messages: "model.gguf", "tokenizer.json"
  std::vector<std::string_view> pieces;  // by id; empty where an id is not taken
  std::vector<PieceKind> kinds;          // by id
  std::size_t n_model_pieces = 0;        // ids from here on were added to the model's
  std::vector<Merge> merges;             // by rank
  std::vector<LiteralPiece> literals;
  bool whole_piece_first = false;  // a text that is a piece as a whole is not merged
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  std::optional<TokenId> unk;
  std::optional<TokenId> pad;
};

/// "left right", cut at the first space after the first byte (a piece may
/// itself begin with a space). Empty parts where there is no such space.
Merge split_merge(std::string_view line);

/// The kind that a piece's spelling asks for: known control tokens are control
/// whatever the file says, `<0x0A>` is a byte.
PieceKind kind_by_text(std::string_view text, PieceKind stated);

/// The byte that `<0x..>` (two upper-case hex digits) stands for.
std::optional<std::uint8_t> parse_byte_piece(std::string_view text);

/// The tokenizer arrays of a GGUF file as they are.
struct GgufTokenizerArrays {
  std::string source;      // the file's name, for messages
  std::string_view model;  // tokenizer.ggml.model
  std::string_view pre;    // tokenizer.ggml.pre, empty when absent
  std::span<const std::string_view> tokens;
  std::span<const std::int32_t> token_types;
  std::span<const std::string_view> merges;
  std::optional<std::int64_t> bos_id;
  std::optional<std::int64_t> eos_id;
  std::optional<std::int64_t> unk_id;
  std::optional<std::int64_t> pad_id;
  std::optional<bool> add_space_prefix;
};

/// Throws LoadError that names the key: another tokenizer model, arrays of
/// different lengths, an id out of range, a piece that is not UTF-8.
TokenizerSpec tokenizer_spec_from_gguf(const GgufTokenizerArrays& arrays);

}  // namespace pleiad::text
