#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace pleiad::text {

/// A vocabulary of all control tokens, a piece for each byte, and others behind them, for tests and
/// fuzz targets.
class PieceVocabulary {
 public:
  explicit PieceVocabulary(const std::vector<std::string>& others)
      : pieces_(all_with(others)), vocabulary_(spec_of(pieces_, others.size())) {}
  PieceVocabulary(const PieceVocabulary&) = delete;
  PieceVocabulary& operator=(const PieceVocabulary&) = delete;

  const Vocabulary& operator*() const { return vocabulary_; }
  const Vocabulary* operator->() const { return &vocabulary_; }

  const std::vector<std::string>& pieces() const { return pieces_; }
  /// Of a tokenizer that merges nothing; it refers to these pieces.
  TokenizerSpec spec() const {
    return spec_of(pieces_, pieces_.size() - static_cast<std::size_t>(first_other()));
  }
  std::size_t size() const { return pieces_.size(); }

  /// Of the first of `others`; the next ones have those behind it.
  TokenId first_other() const { return static_cast<TokenId>(kTagTexts.size() + kBytes); }
  TokenId tag(Tag tag) const { return *vocabulary_.tag(tag); }

 private:
  static constexpr std::size_t kBytes = 256;

  static std::vector<std::string> all_with(const std::vector<std::string>& others) {
    std::vector<std::string> pieces;
    for (const std::string_view tag : kTagTexts) pieces.emplace_back(tag);
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      pieces.push_back(fmt::format("<0x{:02X}>", byte));
    }
    pieces.insert(pieces.end(), others.begin(), others.end());
    return pieces;
  }

  static TokenizerSpec spec_of(const std::vector<std::string>& pieces, std::size_t n_others) {
    TokenizerSpec spec;
    spec.source = "test";
    spec.pieces.assign(pieces.begin(), pieces.end());
    spec.kinds.assign(kTagTexts.size(), PieceKind::control);
    spec.kinds.insert(spec.kinds.end(), kBytes, PieceKind::byte);
    spec.kinds.insert(spec.kinds.end(), n_others, PieceKind::normal);
    return spec;
  }

  std::vector<std::string> pieces_;  // before what refers to them
  Vocabulary vocabulary_;
};

}  // namespace pleiad::text
