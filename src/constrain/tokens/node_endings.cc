#include "constrain/tokens/node_endings.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {
namespace {

/// How symbols are told apart here: those of ASCII, all others, and none.
constexpr std::uint32_t kBeyondAsciiCode = kAsciiSymbols;
constexpr std::uint32_t kNoneCode = kAsciiSymbols + 1;
constexpr std::uint32_t kCodes = kAsciiSymbols + 2;
/// Of these a node has those before the last two.
constexpr std::size_t kBeforeTwo = TextEnding::kSymbols - 2;
/// Nodes that are looked at for one ending.
constexpr std::size_t kMostEndingsLooked = 20'000;

using IsOne = std::array<bool, kCodes>;

IsOne codes_of(const TextEnding::One& one) {
  IsOne out = {};
  for (std::size_t code = 0; code < kAsciiSymbols; ++code) {
    out[code] = (one.ascii.words[code / 64] >> (code % 64) & 1) != 0;
  }
  out[kBeyondAsciiCode] = one.is_beyond_ascii;
  out[kNoneCode] = one.is_none;
  return out;
}

/// Calls add(node, last two symbols, those before) for each node whose symbol is of ASCII.
template <typename Add>
void for_each_ascii_node(const TokenTrie& trie, Add add) {
  std::vector<std::uint32_t> codes(trie.longest() + TextEnding::kSymbols, kNoneCode);
  for (std::size_t tree = 0; tree + 1 < trie.roots().size(); ++tree) {
    for (std::uint32_t node = trie.roots()[tree] + 1; node < trie.next(trie.roots()[tree]);
         ++node) {
      const std::uint32_t* const path = codes.data() + trie.depth(node);  // its last six begin here
      codes[trie.depth(node) + TextEnding::kSymbols - 1] =
          std::min<std::uint32_t>(trie.symbol(node), kBeyondAsciiCode);
      const std::uint32_t last = path[TextEnding::kSymbols - 1];
      if (last == kBeyondAsciiCode) continue;
      std::uint32_t before = 0;
      for (std::size_t i = kBeforeTwo; i-- > 0;) before = before << 8U | path[i];
      add(node, last * kCodes + path[kBeforeTwo], before);
    }
  }
}

}  // namespace

NodeEndings::NodeEndings(const TokenTrie& trie) : starts_(kAsciiSymbols * kCodes + 1, 0) {
  for_each_ascii_node(trie,
                      [&](std::uint32_t, std::uint32_t two, std::uint32_t) { ++starts_[two + 1]; });
  for (std::size_t two = 1; two < starts_.size(); ++two) starts_[two] += starts_[two - 1];
  nodes_.resize(starts_.back());
  std::vector<std::uint32_t> next = starts_;
  for_each_ascii_node(trie, [&](std::uint32_t node, std::uint32_t two, std::uint32_t before) {
    nodes_[next[two]++] = {before, node};
  });
  for (std::size_t two = 0; two + 1 < starts_.size(); ++two) {
    const auto begin = nodes_.begin();
    std::sort(begin + starts_[two], begin + starts_[two + 1], [](const Node& a, const Node& b) {
      return std::tuple(a.before, a.node) < std::tuple(b.before, b.node);
    });
  }
}

bool NodeEndings::add_nodes(const TextEnding& ending, std::size_t most_nodes,
                            std::vector<std::uint32_t>& nodes) const {
  if (starts_.empty()) return true;
  std::array<IsOne, TextEnding::kSymbols> is_one;
  for (std::size_t i = 0; i < is_one.size(); ++i) is_one[i] = codes_of(ending.last[i]);
  std::size_t n_looked = 0;
  const auto has_before = [&](std::uint32_t before) {
    for (std::size_t i = 0; i < kBeforeTwo; ++i) {
      if (!is_one[2 + i][before >> 8 * (kBeforeTwo - 1 - i) & 0xFFU]) return false;
    }
    return true;
  };
  for (std::uint32_t two = 0; two + 1 < starts_.size(); ++two) {
    if (two % kCodes == 0 && !is_one[0][two / kCodes]) {
      two += kCodes - 1;
      continue;
    }
    if (!is_one[1][two % kCodes]) continue;
    const std::uint32_t n = starts_[two + 1] - starts_[two];
    n_looked += n;
    if (n_looked > kMostEndingsLooked) return false;
    for (const Node& each : std::span(nodes_).subspan(starts_[two], n)) {
      if (!has_before(each.before)) continue;
      if (nodes.size() == most_nodes) return false;
      nodes.push_back(each.node);
    }
  }
  return true;
}

}  // namespace pleiad::constrain
