#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "constrain/replies/reply_forms.h"
#include "text/tokenizer.h"

namespace pleiad::constrain {

/// Bytes, characters and some words; what two pieces spell together is merged, the earlier first.
class WordTokenizer {
 public:
  explicit WordTokenizer(bool whole_piece_first = false) {
    for (const std::string_view tag : text::kTagTexts) add(std::string(tag), Kind::control);
    for (int byte = 0; byte < 256; ++byte) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", byte);
      add(name, Kind::byte);
    }
    for (char c = '!'; c <= '~'; ++c) add(std::string(1, c), Kind::normal);
    for (const char* piece :
         {"\xE2\x96\x81", "\n",   "in",    "na",   "me",   "name", "ag",  "age", "_p",    "ll",
          "he",           "hell", "hello", "ca",   "call", "\":",  "{\"", ",\"", "\":\"", "\"}",
          "\xC3\xA9",     "it",   "em",    "item", "ge",   "get",  "00",  "c\"", "bc",    "ab"}) {
      add(piece, Kind::normal);
    }
    text::TokenizerSpec spec;
    spec.source = "test";
    spec.pieces.assign(pieces_.begin(), pieces_.end());
    spec.kinds = kinds_;
    spec.n_model_pieces = pieces_.size();
    spec.whole_piece_first = whole_piece_first;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const std::string_view piece = pieces_[i];
      for (std::size_t n = 1; kinds_[i] == Kind::normal && n < piece.size(); ++n) {
        const std::string_view left = piece.substr(0, n);
        const std::string_view right = piece.substr(n);
        if (has(left) && has(right)) spec.merges.push_back({left, right});
      }
    }
    tokenizer = std::make_unique<text::Tokenizer>(spec);
    ends = {*tokenizer->vocabulary().tag(text::Tag::turn_close)};
    forms = std::make_unique<ReplyForms>(*tokenizer, ends);
  }

  std::vector<std::string> spell(const std::vector<text::TokenId>& tokens) const {
    std::vector<std::string> out;
    for (const text::TokenId token : tokens)
      out.push_back(pieces_[static_cast<std::size_t>(token)]);
    return out;
  }
  bool has(std::string_view piece) const {
    return std::ranges::find(pieces_, piece) != pieces_.end();
  }
  text::TokenId find(std::string_view piece) const {
    return static_cast<text::TokenId>(std::ranges::find(pieces_, piece) - pieces_.begin());
  }
  std::vector<std::string> forced(sampling::TokenConstraint& constraint,
                                  std::size_t most = 1000) const {
    return spell(constraint.forced_next(most));
  }
  void accept(sampling::TokenConstraint& constraint, std::string_view piece) const {
    constraint.accept(find(piece));
  }
  void accept_all(sampling::TokenConstraint& constraint) const {
    for (const text::TokenId token : constraint.forced_next(1000)) constraint.accept(token);
  }
  std::unique_ptr<sampling::TokenConstraint> json(const char* schema) const {
    return std::move(forms->json(1, json_from(schema), Start::at_once)).value();
  }

  std::unique_ptr<text::Tokenizer> tokenizer;
  std::vector<text::TokenId> ends;
  std::unique_ptr<ReplyForms> forms;

 private:
  using Kind = text::PieceKind;
  void add(std::string piece, Kind kind) {
    pieces_.push_back(std::move(piece));
    kinds_.push_back(kind);
  }

  std::vector<std::string> pieces_;
  std::vector<Kind> kinds_;
};

inline const WordTokenizer& words() {
  static const WordTokenizer all;
  return all;
}

}  // namespace pleiad::constrain
