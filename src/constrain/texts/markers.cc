#include "constrain/texts/markers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "constrain/texts/characters.h"

namespace pleiad::constrain {
namespace {

constexpr std::uint32_t kNoChild = UINT32_MAX;

}  // namespace

Markers::Markers(const std::vector<std::string>& words, const std::vector<std::string>& excluded) {
  for (std::size_t i = 0; i < words.size(); ++i) add(words[i], i);
  for (const std::string& word : excluded) add(word, std::nullopt);
  CHECK(nodes_.size() <= kMostBytes + 1, "{} states", nodes_.size());
  link();
}

void Markers::add(const std::string& word, std::optional<std::size_t> number) {
  CHECK(!word.empty());
  std::uint32_t at = 0;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint32_t to = child(at, byte);
    if (to == kNoChild) {
      to = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
      nodes_[at].children.emplace_back(byte, to);
    }
    at = to;
  }
  if (number) {
    nodes_[at].words.push_back(*number);
  } else {
    nodes_[at].is_excluded = true;
  }
}

/// Aho and Corasick's links, from the shorter beginnings to the longer ones.
void Markers::link() {
  std::vector<std::uint32_t> todo = {0};
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const std::uint32_t at = todo[i];
    const std::uint32_t back = nodes_[at].back;
    if (at != 0) nodes_[at].next = nodes_[back].next;
    for (const auto& [byte, to] : nodes_[at].children) {
      nodes_[to].back = at == 0 ? 0 : nodes_[back].next[byte];
      nodes_[at].next[byte] = to;
      const Node& end = nodes_[nodes_[to].back];
      nodes_[to].words.insert(nodes_[to].words.end(), end.words.begin(), end.words.end());
      nodes_[to].is_excluded = nodes_[to].is_excluded || end.is_excluded;
      todo.push_back(to);
    }
  }
}

std::uint32_t Markers::child(std::uint32_t node, unsigned char byte) const {
  for (const auto& [other, to] : nodes_[node].children) {
    if (other == byte) return to;
  }
  return kNoChild;
}

template <typename Accepts>
Dfa Markers::texts(Accepts accepts) const {
  Dfa dfa;
  for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
    Dfa::State state;
    state.accepts = accepts(at);
    for (std::size_t symbol = 0; is_free(at) && symbol < nodes_[at].next.size(); ++symbol) {
      const std::uint32_t to = nodes_[at].next[symbol];
      if (!is_free(to) && !accepts(to)) continue;
      const auto read = static_cast<Symbol>(symbol);
      if (!state.edges.empty() && state.edges.back().target == to &&
          state.edges.back().last + 1 == read) {
        state.edges.back().last = read;
      } else {
        state.edges.push_back({read, read, to});
      }
    }
    dfa.states.push_back(std::move(state));
  }
  // Four times as many where a character is begun amid a word, at most.
  std::optional<Dfa> whole =
      restricted(any_text(Syntax::call), {{&dfa, true}}, 16 * nodes_.size() + 16);
  CHECK(whole.has_value());
  return std::move(*whole);
}

Dfa Markers::text_without() const {
  return texts([&](std::uint32_t node) { return is_free(node); });
}

Dfa Markers::text_up_to(std::size_t word) const {
  return texts([&](std::uint32_t node) {
    const auto& words = nodes_[node].words;
    return !nodes_[node].is_excluded && std::ranges::find(words, word) != words.end();
  });
}

}  // namespace pleiad::constrain
