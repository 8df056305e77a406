#include "synthetic/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "text/tags.h"

namespace pleiad::synthetic {
namespace {

using text::Tag;

// Values of tokenizer.ggml.token_type.
enum Kind : std::int32_t { kNormal = 1, kUnknown = 2, kControl = 3, kUnused = 5, kByte = 6 };

/// The tags stand first, as in the real tokenizer, where those up to <unk> have
/// the same ids; nothing asks for the others' places.
constexpr std::uint32_t id_of(Tag tag) { return static_cast<std::uint32_t>(tag); }

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, which stands for a space
constexpr std::string_view kLetters = "etaoinshrdlucmfw";

/// No more words than the real tokenizer has pieces that text is made of.
constexpr std::size_t kMaxPiecesWithWords = 200'000;

}  // namespace

MadeUpVocabulary make_vocabulary(int n_pieces) {
  CHECK(n_pieces >= 1024, "{} pieces", n_pieces);
  const auto size = static_cast<std::size_t>(n_pieces);
  MadeUpVocabulary vocabulary;
  // References of their own: clang 14 cannot capture a structured binding.
  auto& pieces = vocabulary.pieces;
  auto& kinds = vocabulary.kinds;
  auto& merges = vocabulary.merges;
  const auto add = [&](std::string piece, Kind kind) {
    pieces.push_back(std::move(piece));
    kinds.push_back(kind);
  };
  for (const std::string_view tag : text::kTagTexts) {
    add(std::string(tag), tag == tag_text(Tag::unk) ? kUnknown : kControl);
  }
  for (int byte = 0; byte < 256; ++byte) add(fmt::format("<0x{:02X}>", byte), kByte);
  for (char c = '!'; c <= '~'; ++c) add(std::string(1, c), kNormal);
  add(std::string(kSpace), kNormal);
  add("\n", kNormal);
  // Every word with every letter appended, the shortest words first: no word
  // comes twice, and each is one merge away from a shorter one.
  std::vector<std::string> words;
  for (const char letter : kLetters) words.emplace_back(1, letter);
  for (std::size_t i = 0; pieces.size() < std::min(size, kMaxPiecesWithWords); ++i) {
    for (const char letter : kLetters) {
      if (pieces.size() == size) break;
      words.push_back(words[i] + letter);
      merges.push_back(fmt::format("{} {}", words[i], letter));
      add(words.back(), kNormal);
    }
  }
  while (pieces.size() < size) add(fmt::format("<unused{}>", pieces.size()), kUnused);
  return vocabulary;
}

void set_tokenizer_keys(gguf::Writer& writer, int n_pieces) {
  const MadeUpVocabulary vocabulary = make_vocabulary(n_pieces);
  const std::vector<std::string_view> pieces(vocabulary.pieces.begin(), vocabulary.pieces.end());
  const std::vector<std::string_view> merges(vocabulary.merges.begin(), vocabulary.merges.end());
  std::vector<float> scores;
  for (int id = 0; id < n_pieces; ++id) scores.push_back(-static_cast<float>(id));
  writer.set_string("tokenizer.ggml.model", "gemma4");
  writer.set_strings("tokenizer.ggml.tokens", pieces);
  writer.set_f32s("tokenizer.ggml.scores", scores);
  writer.set_i32s("tokenizer.ggml.token_type", vocabulary.kinds);
  writer.set_strings("tokenizer.ggml.merges", merges);
  writer.set_u32("tokenizer.ggml.bos_token_id", id_of(Tag::bos));
  writer.set_u32("tokenizer.ggml.eos_token_id", id_of(Tag::turn_close));
  writer.set_u32("tokenizer.ggml.unknown_token_id", id_of(Tag::unk));
  writer.set_u32("tokenizer.ggml.padding_token_id", id_of(Tag::pad));
  writer.set_boolean("tokenizer.ggml.add_space_prefix", false);
  writer.set_boolean("tokenizer.ggml.add_bos_token", true);
}

}  // namespace pleiad::synthetic
