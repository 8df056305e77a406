#include <algorithm>
#include <optional>

#include "base/text_format.h"
#include "base/utf8.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

namespace pleiad::text {
namespace {

/// Where no cut is found within so many bytes there is hardly one: text has one every few letters.
constexpr std::size_t kCutSearchBytes = std::size_t{1} << 20;

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The character that ends at `at`; empty where what stands there is no UTF-8.
std::optional<char32_t> character_before(std::string_view text, std::size_t at) {
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && continues_character(text[begin])) --begin;
  const std::string_view spelled = text.substr(begin, at - begin);
  if (utf8_length(spelled) != spelled.size()) return std::nullopt;
  return first_character(spelled);
}

Failure no_cut(std::size_t n_bytes) {
  return Failure{
      fmt::format("the text has {} and cannot be shortened: for {} there is no place to cut it at",
                  format_bytes(n_bytes), format_bytes(kCutSearchBytes))};
}

}  // namespace

bool Tokenizer::can_cut_at(std::string_view text, std::size_t at) const {
  if (at == 0 || at >= text.size()) return true;
  if (continues_character(text[at])) return false;
  const auto left = character_before(text, at);
  if (!left || utf8_length(text.substr(at)) == 0) return false;
  if (bpe_.may_join(*left, first_character(text.substr(at)))) return false;
  const std::size_t first = at - std::min(at, longest_piece_);
  for (std::size_t begin = first; begin < at; ++begin) {
    const auto literal = literals_.match_at(text, begin);
    if (literal && literal->end > at) return false;
  }
  return true;
}

Result<Encoding> Tokenizer::first_tokens(std::string_view text, std::size_t count) const {
  const EncodeLimit limit{.tokens = count, .wants_them = true, .stop = {}};
  const std::size_t enough = (count + 1) * longest_piece_;
  if (!can_cut_ || enough >= text.size()) return encode_text(text, limit);
  std::size_t at = enough;
  const std::size_t last = std::min(text.size(), enough + kCutSearchBytes);
  while (at < last && !can_cut_at(text, at)) ++at;
  if (at == last && last < text.size()) return no_cut(text.size());
  Encoding encoding = encode_text(text.substr(0, at), limit);
  encoding.whole = encoding.whole && at == text.size();
  encoding.least_count = std::max(encoding.least_count, least_tokens(text.size()));
  return encoding;
}

Result<Encoding> Tokenizer::last_tokens(std::string_view text, std::size_t count) const {
  const std::size_t enough = (count + 1) * longest_piece_;
  if (!can_cut_ || enough >= text.size()) return encode_with_control(text, EncodeLimit());
  std::size_t at = text.size() - enough;
  const std::size_t last = at - std::min(at, kCutSearchBytes);
  while (at > last && !can_cut_at(text, at)) --at;
  if (at == last && last > 0) return no_cut(text.size());
  Encoding encoding = encode_with_control(text.substr(at), EncodeLimit());
  encoding.whole = at == 0;
  encoding.least_count += least_tokens(at);
  return encoding;
}

}  // namespace pleiad::text
