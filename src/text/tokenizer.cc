#include "text/tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "text/space_mark.h"
#include "text/stream_decoder.h"
#include "text/unicode.h"

namespace pleiad::text {
namespace {

std::string normalized(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  for (const char c : text) {
    if (c == ' ') {
      out += kSpaceMark;
    } else {
      out += c;
    }
  }
  return out;
}

LiteralMatcher make_matcher(const Vocabulary& vocabulary, const TokenizerSpec& spec,
                            bool in_normalized_text) {
  std::vector<LiteralMatcher::Literal> literals;
  for (const LiteralPiece& literal : spec.literals) {
    if (literal.in_normalized_text != in_normalized_text) continue;
    const std::string_view text = vocabulary.text(literal.id);
    literals.push_back({in_normalized_text ? normalized(text) : std::string(text), literal.id});
  }
  return LiteralMatcher(std::move(literals));
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerSpec& spec)
    : vocabulary_(std::make_unique<Vocabulary>(spec)),
      bpe_(*vocabulary_, spec),
      literals_(make_matcher(*vocabulary_, spec, false)),
      normalized_literals_(make_matcher(*vocabulary_, spec, true)),
      whole_piece_first_(spec.whole_piece_first),
      source_(spec.source) {
  for (const LiteralPiece& literal : spec.literals) {
    if (literal.eats_space_before || literal.eats_space_after) greedy_.push_back(literal);
  }
}

std::vector<TokenId> Tokenizer::encode_text(std::string_view text) const {
  std::vector<TokenId> out;
  encode_onto(out, text, Controls::as_text);
  return out;
}

std::vector<TokenId> Tokenizer::encode_with_control(std::string_view text) const {
  std::vector<TokenId> out;
  encode_onto(out, text, Controls::as_tokens);
  return out;
}

std::vector<TokenId> Tokenizer::encode(const Prompt& prompt) const {
  std::vector<TokenId> out;
  for (const Prompt::Segment& segment : prompt.segments()) {
    if (!segment.is_control) {
      encode_onto(out, segment.text, Controls::as_text);
      continue;
    }
    const TokenId id = vocabulary_->find(segment.text);
    if (id < 0 || !is_control(vocabulary_->kind(id))) {
      throw Error("{}: the vocabulary has no control token '{}', which this prompt needs", source_,
                  segment.text);
    }
    out.push_back(id);
  }
  return out;
}

/// Replaces each literal by its piece and hands the text between to
/// `encode_rest`. A control token that counts as text stays in that text, yet the
/// search goes on behind it.
template <typename EncodeRest>
void Tokenizer::cut(const LiteralMatcher& matcher, std::string_view text, Controls controls,
                    std::vector<TokenId>& out, EncodeRest encode_rest) const {
  std::size_t done = 0;
  std::size_t from = 0;
  while (const auto match = matcher.find(text, from)) {
    from = match->end;
    if (controls == Controls::as_text && is_control(vocabulary_->kind(match->id))) continue;
    std::size_t begin = match->begin;
    const auto greedy = std::ranges::find(greedy_, match->id, &LiteralPiece::id);
    if (greedy != greedy_.end()) {
      if (greedy->eats_space_before) {
        begin = done + strip_right(text.substr(done, begin - done)).size();
      }
      if (greedy->eats_space_after) from = text.size() - strip_left(text.substr(from)).size();
    }
    encode_rest(text.substr(done, begin - done));
    out.push_back(match->id);
    done = from;
  }
  encode_rest(text.substr(done));
}

void Tokenizer::encode_onto(std::vector<TokenId>& out, std::string_view text,
                            Controls controls) const {
  cut(literals_, text, controls, out, [&](std::string_view rest) {
    if (!rest.empty()) encode_after_first_cut(out, rest, controls);
  });
}

void Tokenizer::encode_after_first_cut(std::vector<TokenId>& out, std::string_view text,
                                       Controls controls) const {
  if (normalized_literals_.empty()) {
    encode_run(out, text);
    return;
  }
  cut(normalized_literals_, normalized(text), controls, out, [&](std::string_view rest) {
    if (!rest.empty()) encode_run(out, rest);
  });
}

void Tokenizer::encode_run(std::vector<TokenId>& out, std::string_view text) const {
  if (whole_piece_first_) {
    const TokenId whole = vocabulary_->find(normalized(text));
    if (whole >= 0 && !is_control(vocabulary_->kind(whole))) {
      out.push_back(whole);
      return;
    }
  }
  bpe_.encode(text, out);
}

std::string Tokenizer::decode(std::span<const TokenId> tokens) const {
  return decode_all(*vocabulary_, tokens, {});
}

std::string Tokenizer::decode_with_control(std::span<const TokenId> tokens) const {
  return decode_all(*vocabulary_, tokens, {.show_control = true});
}

std::string Tokenizer::decode_bytes(std::span<const TokenId> tokens) const {
  std::string out;
  for (const TokenId token : tokens) append_piece_bytes(*vocabulary_, token, out);
  return out;
}

}  // namespace pleiad::text
