#include "text/tokenizer_spec.h"

#include <simdjson.h>

#include "base/error.h"
#include "base/text_format.h"
#include "text/tags.h"

namespace pleiad::text {
namespace {

std::optional<std::uint8_t> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
  return std::nullopt;
}

PieceKind kind_of_type(const GgufTokenizerArrays& arrays, std::size_t id) {
  switch (arrays.token_types[id]) {
    case 1:
      return PieceKind::normal;
    case 2:
      return PieceKind::unknown;
    case 3:
      return PieceKind::control;
    case 4:
      return PieceKind::user_defined;
    case 5:
      return PieceKind::unused;
    case 6:
      break;
    default:
      throw LoadError("{}: tokenizer.ggml.token_type[{}]: expected 1 to 6, got {}", arrays.source,
                      id, arrays.token_types[id]);
  }
  if (!parse_byte_piece(arrays.tokens[id])) {
    throw LoadError("{}: tokenizer.ggml.tokens[{}]: a byte piece must look like <0x0A>, got '{}'",
                    arrays.source, id, printable(arrays.tokens[id]));
  }
  return PieceKind::byte;
}

std::optional<TokenId> checked_id(const GgufTokenizerArrays& arrays, std::string_view key,
                                  std::optional<std::int64_t> id) {
  if (!id) return std::nullopt;
  if (*id < 0 || static_cast<std::uint64_t>(*id) >= arrays.tokens.size()) {
    throw LoadError("{}: tokenizer.ggml.{}: {} is not one of the {} pieces", arrays.source, key,
                    *id, arrays.tokens.size());
  }
  return static_cast<TokenId>(*id);
}

void check_header(const GgufTokenizerArrays& arrays) {
  const bool known =
      arrays.model == "gemma4" || (arrays.model == "llama" && arrays.pre == "gemma4");
  if (!known) {
    throw LoadError(
        "{}: tokenizer.ggml.model is '{}' (pre '{}'); expected 'gemma4', or 'llama' with pre "
        "'gemma4'",
        arrays.source, printable(arrays.model), printable(arrays.pre));
  }
  if (arrays.add_space_prefix.value_or(false)) {
    throw LoadError("{}: tokenizer.ggml.add_space_prefix: expected false, got true", arrays.source);
  }
  if (arrays.tokens.empty()) {
    throw LoadError("{}: tokenizer.ggml.tokens: missing or empty", arrays.source);
  }
  if (arrays.token_types.size() != arrays.tokens.size()) {
    throw LoadError("{}: tokenizer.ggml.token_type: expected {} values, got {}", arrays.source,
                    arrays.tokens.size(), arrays.token_types.size());
  }
}

}  // namespace

Merge split_merge(std::string_view line) {
  const std::size_t space = line.find(' ', 1);
  if (space == std::string_view::npos || space + 1 == line.size()) return {};
  return {line.substr(0, space), line.substr(space + 1)};
}

std::optional<std::uint8_t> parse_byte_piece(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
  const auto high = hex_digit(text[3]);
  const auto low = hex_digit(text[4]);
  if (!high || !low) return std::nullopt;
  return static_cast<std::uint8_t>(*high << 4 | *low);
}

PieceKind kind_by_text(std::string_view text, PieceKind stated) {
  if (text.size() < 5 || text.front() != '<' || is_control(stated)) return stated;
  if (find_tag(text)) return PieceKind::control;
  if (parse_byte_piece(text)) return PieceKind::byte;
  return stated;
}

TokenizerSpec tokenizer_spec_from_gguf(const GgufTokenizerArrays& arrays) {
  check_header(arrays);
  TokenizerSpec spec;
  spec.source = arrays.source;
  spec.pieces.assign(arrays.tokens.begin(), arrays.tokens.end());
  spec.n_model_pieces = spec.pieces.size();
  spec.kinds.resize(arrays.tokens.size());
  for (std::size_t id = 0; id < arrays.tokens.size(); ++id) {
    const std::string_view piece = arrays.tokens[id];
    if (!simdjson::validate_utf8(piece.data(), piece.size())) {
      throw LoadError("{}: tokenizer.ggml.tokens[{}] is not UTF-8: '{}'", arrays.source, id,
                      printable(piece));
    }
    const PieceKind kind = kind_by_text(piece, kind_of_type(arrays, id));
    spec.kinds[id] = kind;
    if (!piece.empty() && (is_control(kind) || kind == PieceKind::user_defined)) {
      spec.literals.push_back({.id = static_cast<TokenId>(id)});
    }
  }
  spec.merges.resize(arrays.merges.size());
  for (std::size_t rank = 0; rank < arrays.merges.size(); ++rank) {
    spec.merges[rank] = split_merge(arrays.merges[rank]);
    if (spec.merges[rank].left.empty()) {
      throw LoadError("{}: tokenizer.ggml.merges[{}]: expected 'left right', got '{}'",
                      arrays.source, rank, printable(arrays.merges[rank]));
    }
  }
  spec.bos = checked_id(arrays, "bos_token_id", arrays.bos_id);
  spec.eos = checked_id(arrays, "eos_token_id", arrays.eos_id);
  spec.unk = checked_id(arrays, "unknown_token_id", arrays.unk_id);
  spec.pad = checked_id(arrays, "padding_token_id", arrays.pad_id);
  return spec;
}

}  // namespace pleiad::text
