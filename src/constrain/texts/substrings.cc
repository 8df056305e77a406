#include "constrain/texts/substrings.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "constrain/texts/unicode_properties.h"
#include "text/unicode.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kStepsOfPlaces = 8;  // as memory

/// Of each character whether it is one of a property's.
class Property {
 public:
  explicit Property(std::string_view name) {
    auto found = unicode_property(name);
    CHECK(found.has_value(), "{}", name);
    ranges_ = std::move(*found);
  }
  bool has(char32_t code) const {
    const auto behind = std::ranges::upper_bound(ranges_, code, {}, &CodeRange::first);
    return behind != ranges_.begin() && code <= std::prev(behind)->last;
  }

 private:
  std::vector<CodeRange> ranges_;
};

}  // namespace

std::optional<Dfa> substrings(const std::vector<std::string>& chunks, std::size_t& steps) {
  using Places = std::vector<std::uint32_t>;  // bytes of the whole text that may come next
  std::string text;
  std::vector<bool> is_start;  // of a chunk, or the end; for each byte and behind the last
  for (const std::string& chunk : chunks) {
    is_start.resize(text.size() + 1, false);
    is_start[text.size()] = true;
    text += chunk;
  }
  is_start.resize(text.size() + 1, false);
  is_start[text.size()] = true;
  Places starts;
  for (std::uint32_t at = 0; at < is_start.size(); ++at) {
    if (is_start[at]) starts.push_back(at);
  }
  bool is_paid = true;
  const auto next = [&](const Places& places, const auto& add) {
    const std::size_t cost = kStepsOfPlaces + places.size();
    is_paid = is_paid && cost <= steps;
    steps -= std::min(steps, cost);
    if (!is_paid) return;
    std::map<unsigned char, Places> behind;
    for (const std::uint32_t at : places) {
      if (at < text.size()) behind[static_cast<unsigned char>(text[at])].push_back(at + 1);
    }
    for (auto& [byte, targets] : behind) add(byte, byte, std::move(targets));
  };
  const auto accepts = [&](const Places& places) {
    return std::ranges::any_of(places, [&](std::uint32_t at) { return is_start[at]; });
  };
  std::optional<Dfa> made =
      explore(starts, next, accepts, std::numeric_limits<std::uint32_t>::max());
  return is_paid ? std::move(made) : std::nullopt;
}

std::vector<std::string> characters_of_text(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    out.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::vector<std::string> words_of(std::string_view text) {
  static const Property letters("Alphabetic");
  static const Property numbers("N");
  static const Property spaces("White_Space");
  enum class Kind { none, word, space, other };
  std::vector<std::string> out;
  Kind last = Kind::none;
  for (std::string& character : characters_of_text(text)) {
    const char32_t code = text::first_character(character);
    const Kind kind = spaces.has(code)                                         ? Kind::space
                      : letters.has(code) || numbers.has(code) || code == U'_' ? Kind::word
                                                                               : Kind::other;
    if (kind != last) out.emplace_back();
    out.back() += character;
    last = kind;
  }
  return out;
}

}  // namespace pleiad::constrain
