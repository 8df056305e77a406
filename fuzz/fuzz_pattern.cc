// A pattern, and a text of eight characters at most that the first bytes choose: the automaton
// finds in it, and in all that it begins with, what trying all ways finds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "constrain/texts/dfa_test_data.h"
#include "constrain/texts/pattern.h"

namespace {

using namespace pleiad::constrain;

/// What patterns mean, said as plainly as possible.
class SlowPattern {
 public:
  explicit SlowPattern(std::string_view text) : text_(text) {}

  bool finds(const PatternNode& pattern) {
    for (std::size_t at = 0; at <= text_.size(); ++at) {
      if (ends(pattern, Places{1} << at) != 0) return true;
    }
    return false;
  }
  /// Whether there are more steps to it than are worth while.
  bool gave_up() const { return n_steps_ > 200'000; }

 private:
  using Kind = PatternNode::Kind;
  using Places = std::uint32_t;  // bit i: before the character i

  /// Where the node may end, if it begins at one of these places.
  Places ends(const PatternNode& node, Places from) {
    if (from == 0 || ++n_steps_ > 200'000) return 0;
    switch (node.kind) {
      case Kind::sequence:
        for (const PatternNode& child : node.children) from = ends(child, from);
        return from;
      case Kind::choice: {
        Places out = 0;
        for (const PatternNode& child : node.children) out |= ends(child, from);
        return out;
      }
      case Kind::repeat: {
        for (std::uint32_t i = 0; i < node.least; ++i) from = ends(node.children[0], from);
        Places out = from;
        for (std::uint32_t i = node.least; i < node.most; ++i) {
          const Places next = out | ends(node.children[0], out);
          if (next == out) break;
          out = next;
        }
        return out;
      }
      default:
        break;
    }
    Places out = 0;
    for (std::size_t at = 0; at <= text_.size(); ++at) {
      if ((from >> at & 1) == 0) continue;
      if (node.kind == Kind::characters) {
        if (at < text_.size() && has(node, text_[at])) out |= Places{2} << at;
      } else if (holds(node, at)) {
        out |= Places{1} << at;
      }
    }
    return out;
  }

  bool holds(const PatternNode& node, std::size_t at) {
    const bool word_before = at > 0 && text_[at - 1] >= 'a';
    const bool word_behind = at < text_.size() && text_[at] >= 'a';
    switch (node.kind) {
      case Kind::begin:
        return at == 0;
      case Kind::end:
        return at == text_.size();
      case Kind::boundary:
        return (word_before != word_behind) != node.is_negated;
      default:
        return (ends(node.children[0], Places{1} << at) != 0) != node.is_negated;
    }
  }

  static bool has(const PatternNode& node, char c) {
    return std::ranges::any_of(node.characters, [&](const CodeRange& range) {
      return range.first <= symbol_of(c) && symbol_of(c) <= range.last;
    });
  }

  std::string_view text_;
  std::size_t n_steps_ = 0;
};

/// As in a string of JSON.
std::string spelled(std::string_view text) {
  std::string out;
  for (const char c : text) c == '\n' ? out.append("\\n") : out.append(1, c);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLength = 8;
  if (size < kLength || size > 200) return 0;
  std::string text;
  for (std::size_t i = 0; i < kLength; ++i) text += "ab-\n"[data[i] % 4];
  const std::string_view pattern(reinterpret_cast<const char*>(data) + kLength, size - kLength);
  const pleiad::Result<PatternNode> tree = read_pattern(pattern);
  std::size_t work = 3'000'000;
  const pleiad::Result<Dfa> dfa = pattern_dfa(Syntax::json, pattern, {}, work);
  if (!tree) {
    CHECK(!dfa);
    return 0;
  }
  const bool finds_nothing = !dfa && dfa.message().starts_with("no string");
  if (!dfa && !finds_nothing) return 0;
  for (std::size_t length = 0; length <= kLength; ++length) {
    const std::string_view begin = std::string_view(text).substr(0, length);
    SlowPattern slow(begin);
    const bool expected = slow.finds(tree.value());
    if (slow.gave_up()) return 0;
    const bool found = dfa && accepts(dfa.value(), spelled(begin));
    CHECK(found == expected, "\"{}\" in \"{}\"", pattern, begin);
  }
  return 0;
}
