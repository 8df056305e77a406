#pragma once

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
