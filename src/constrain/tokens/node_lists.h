#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace pleiad::constrain {

/// Lists of a trie's nodes, each of them once, by number from 0 on.
class NodeLists {
 public:
  using Id = std::uint32_t;
  using List = std::vector<std::uint32_t>;

  Id id_of(List nodes) {
    const std::size_t bytes = nodes.size() * sizeof(std::uint32_t);
    const auto [found, is_new] = ids_.try_emplace(std::move(nodes), static_cast<Id>(lists_.size()));
    if (is_new) {
      lists_.push_back(&found->first);
      bytes_ += bytes;
    }
    return found->second;
  }

  /// Puts nodes of a trie of `n_nodes` in order, each once.
  static void put_in_order(List& nodes, std::uint32_t n_nodes) {
    constexpr std::uint32_t kOfMany = 256;  // so many bits are looked at in the time of a node
    if (std::ranges::is_sorted(nodes) || nodes.size() < n_nodes / kOfMany) {
      if (!std::ranges::is_sorted(nodes)) std::ranges::sort(nodes);
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      return;
    }
    std::vector<std::uint64_t> bits(n_nodes / 64 + 1);
    for (const std::uint32_t node : nodes) bits[node / 64] |= std::uint64_t{1} << (node % 64);
    nodes.clear();
    for (std::uint32_t first = 0; first <= n_nodes; first += 64) {
      for (std::uint64_t left = bits[first / 64]; left != 0; left &= left - 1) {
        nodes.push_back(first + static_cast<std::uint32_t>(std::countr_zero(left)));
      }
    }
  }

  const List& operator[](Id id) const { return *lists_[id]; }

  /// Of the nodes.
  std::size_t memory_bytes() const { return bytes_; }

  void clear() {
    ids_.clear();
    lists_.clear();
    bytes_ = 0;
  }

 private:
  std::map<List, Id> ids_;
  std::vector<const List*> lists_;  // keys of ids_
  std::size_t bytes_ = 0;
};

}  // namespace pleiad::constrain
