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
  can_cut_ = greedy_.empty() && normalized_literals_.empty() && !whole_piece_first_;
  if (!greedy_.empty()) return;  // these stand for any number of bytes
  for (std::size_t id = 0; id < vocabulary_->size(); ++id) {
    longest_piece_ = std::max(longest_piece_, vocabulary_->text(static_cast<TokenId>(id)).size());
  }
}

std::vector<TokenId> Tokenizer::encode_text(std::string_view text) const {
  return encode_text(text, EncodeLimit()).tokens;
}

std::vector<TokenId> Tokenizer::encode_with_control(std::string_view text) const {
  return encode_with_control(text, EncodeLimit()).tokens;
}

std::vector<TokenId> Tokenizer::encode(const Prompt& prompt) const {
  return encode(prompt, EncodeLimit()).tokens;
}

Encoding Tokenizer::encode_text(std::string_view text, const EncodeLimit& limit) const {
  return encode_within(text, Controls::as_text, limit);
}

Encoding Tokenizer::encode_with_control(std::string_view text, const EncodeLimit& limit) const {
  return encode_within(text, Controls::as_tokens, limit);
}

std::uint64_t Tokenizer::least_tokens(std::uint64_t n_bytes) const {
  return longest_piece_ == 0 ? 0 : (n_bytes + longest_piece_ - 1) / longest_piece_;
}

Encoding Tokenizer::encode_within(std::string_view text, Controls controls,
                                  const EncodeLimit& limit) const {
  EncodedPieces out(limit, longest_piece_);
  const std::uint64_t least = least_tokens(text.size());
  const bool whole =
      (limit.wants_them || least <= limit.tokens) && encode_onto(out, text, controls);
  return std::move(out).encoding(whole, least);
}

std::optional<std::string> Tokenizer::missing_control(const Prompt& prompt) const {
  for (const Prompt::Segment& segment : prompt.segments()) {
    if (!segment.is_control || segment.media >= 0) continue;
    const TokenId id = vocabulary_->find(segment.text);
    if (id < 0 || !is_control(vocabulary_->kind(id))) return segment.text;
  }
  return std::nullopt;
}

Encoding Tokenizer::encode(const Prompt& prompt, const EncodeLimit& limit) const {
  if (const auto missing = missing_control(prompt)) {
    throw Error("{}: the vocabulary has no control token '{}', which this prompt needs", source_,
                *missing);
  }
  EncodedPieces out(limit, longest_piece_);
  std::uint64_t least = 0;
  for (const Prompt::Segment& segment : prompt.segments()) {
    least += segment.is_control ? 1 : least_tokens(segment.text.size());
  }
  bool whole = limit.wants_them || least <= limit.tokens;
  for (const Prompt::Segment& segment : prompt.segments()) {
    if (!whole) break;
    if (!segment.is_control) {
      whole = encode_onto(out, segment.text, Controls::as_text);
      continue;
    }
    if (segment.media >= 0) {
      out.push_media(segment.media);
      whole = out.may_go_on();
      continue;
    }
    out.push_back(vocabulary_->find(segment.text));
    whole = out.may_go_on();
  }
  return std::move(out).encoding(whole, least);
}

/// Replaces each literal by its piece and hands the text between to
/// `encode_rest`. A control token that counts as text stays in that text, yet the
/// search goes on behind it.
template <typename EncodeRest>
bool Tokenizer::cut(const LiteralMatcher& matcher, std::string_view text, Controls controls,
                    EncodedPieces& out, EncodeRest encode_rest) const {
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
    if (!encode_rest(text.substr(done, begin - done))) return false;
    out.push_back(match->id);
    done = from;
    if (!out.may_go_on()) return false;
  }
  return encode_rest(text.substr(done));
}

bool Tokenizer::encode_onto(EncodedPieces& out, std::string_view text, Controls controls) const {
  return cut(literals_, text, controls, out, [&](std::string_view rest) {
    return rest.empty() || encode_after_first_cut(out, rest, controls);
  });
}

bool Tokenizer::encode_after_first_cut(EncodedPieces& out, std::string_view text,
                                       Controls controls) const {
  if (normalized_literals_.empty()) return encode_run(out, text);
  return cut(normalized_literals_, normalized(text), controls, out,
             [&](std::string_view rest) { return rest.empty() || encode_run(out, rest); });
}

bool Tokenizer::encode_run(EncodedPieces& out, std::string_view text) const {
  if (whole_piece_first_) {
    const TokenId whole = vocabulary_->find(normalized(text));
    if (whole >= 0 && !is_control(vocabulary_->kind(whole))) {
      out.push_back(whole);
      return out.may_go_on();
    }
  }
  return bpe_.encode(text, out);
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
