// Any schema, and bytes that choose among what is allowed: nothing hangs, something is
// always allowed, and a reply that comes to its end is JSON. The schema ends at the first
// zero byte.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "constrain/json_constraint.h"
#include "text/stream_decoder.h"

namespace {

using namespace pleiad;

/// Bytes, control tokens and some pieces that span several parts of JSON.
struct Tokens {
  std::vector<std::string> pieces;
  std::vector<text::PieceKind> kinds;
  std::unique_ptr<text::Vocabulary> vocabulary;
  std::shared_ptr<const constrain::TokenTrie> trie;
  text::TokenId end = 0;

  Tokens() {
    for (const std::string_view tag : text::kTagTexts) add(tag, text::PieceKind::control);
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte) {
      add(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">",
          text::PieceKind::byte);
    }
    for (const char* piece :
         {"{\"", "\":", "\":{\"", "\"}", "}]", "\",\"", "[[", "]]", "12", "true", "abcabcabc",
          "\xE2\x96\x81\"", "\n\xE2\x96\x81\xE2\x96\x81\""}) {
      add(piece, text::PieceKind::normal);
    }
    text::TokenizerSpec spec;
    spec.source = "fuzz";
    spec.pieces.assign(pieces.begin(), pieces.end());
    spec.kinds = kinds;
    vocabulary = std::make_unique<text::Vocabulary>(spec);
    end = *vocabulary->tag(text::Tag::turn_close);
    trie = std::make_shared<constrain::TokenTrie>(*vocabulary, std::vector{end});
  }

  void add(std::string_view piece, text::PieceKind kind) {
    pieces.emplace_back(piece);
    kinds.push_back(kind);
  }
};

/// The allowed token that `choice` falls on.
text::TokenId choose(const std::vector<std::uint64_t>& allowed, std::uint8_t choice) {
  std::vector<text::TokenId> tokens;
  for (std::size_t i = 0; i < allowed.size() * 64; ++i) {
    if ((allowed[i / 64] >> (i % 64) & 1) != 0) tokens.push_back(static_cast<text::TokenId>(i));
  }
  CHECK(!tokens.empty());
  return tokens[choice % tokens.size()];
}

/// A reply of which each choice picks a token that is allowed; it is JSON where it ends by itself.
void write_reply(const Tokens& tokens, constrain::GrammarConstraint& constraint,
                 std::span<const std::uint8_t> choices) {
  std::vector<std::uint64_t> allowed((tokens.pieces.size() + 63) / 64);
  std::string reply;
  for (const std::uint8_t choice : choices) {
    constraint.allowed_next(allowed);
    const text::TokenId token = choose(allowed, choice);
    constraint.accept(token);
    if (token == tokens.end) {
      CHECK(Json::accept(reply), "{}", reply);
      break;
    }
    append_piece_bytes(*tokens.vocabulary, token, reply);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tokens tokens;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t length = std::min(text.find('\0'), text.size());
  Json schema;
  try {
    schema = parse_json(text.substr(0, length), "schema");
  } catch (const Error&) {
    return 0;
  }
  Result<std::shared_ptr<constrain::Grammar>> grammar =
      constrain::make_json_grammar(tokens.trie, schema, constrain::Start::at_once);
  if (!grammar) return 0;
  auto constraint = constrain::begin_reply(grammar.value());
  if (!constraint) return 0;
  try {
    write_reply(tokens, *constraint.value(),
                {data + length, std::min(size - length, std::size_t{500})});
  } catch (const sampling::ConstraintError&) {
    // More ways than are followed.
  }
  return 0;
}
