#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constrain/tokens/inside_strings.h"
#include "constrain/tokens/machine.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {

/// Takes the tokens out of a mask with which an item, or the name of a property, would be equal to
/// an earlier one. Masks are kept by states, which know nothing of earlier items (MaskTables); so
/// this walks the trie with the machine that remembers them, but only where it matters: along what
/// earlier items go on with, and where a token may end an item and go on with the next. Within
/// strings that are like no earlier one these are few tokens.
///
/// Of names there are always more in most objects. There only the tokens matter that end one: those
/// along earlier names of the same object, and the very few that hold a whole one.
class DistinctMask {
 public:
  /// `automaton` is finished, `strings` is of it; all live as long as this.
  DistinctMask(const TokenTrie& trie, const Automaton& automaton, const InsideStrings& strings);

  /// `allowed` has what the threads may go on with if items are not compared; `machine` is theirs.
  void cut(const Threads& threads, Machine& machine, std::span<std::uint64_t> allowed) const;

 private:
  struct Step {
    Threads threads;
    Threads loose;             // those of the mask, where it has more
    bool has_dropped = false;  // it has
    SymbolSet symbols;         // that may come
    SymbolSet equal;           // that earlier items go on with
    SymbolSet named;           // see Machine::symbols_of_names()
  };
  using Steps = std::vector<Step>;

  /// What there is to look at below the roots of the trie.
  enum class Of : std::uint8_t { items, names };

  void cut_items(Steps& path, Machine& machine, std::span<std::uint64_t> allowed) const;
  void cut_names(Steps& path, Machine& machine, std::span<std::uint64_t> allowed) const;
  void cut_tokens(const Threads& threads, Machine& machine, std::span<std::uint64_t> allowed) const;
  void cut_below(std::uint32_t root, Of of, Steps& path, Machine& machine,
                 std::span<std::uint64_t> allowed) const;
  Steps begin(const Threads& threads, Machine& machine) const;
  bool is_left(const Step& before, std::uint32_t node, Of of, const ItemMemory& memory) const;
  /// Whether no token below the node makes an item equal to another; with the node, where its own
  /// symbol is still to be read.
  bool is_safe(const Step& step, const ItemMemory& memory, std::uint32_t node,
               bool with_node) const;
  bool may_leave_string(std::uint32_t node, bool with_node) const;
  bool may_begin_last_name(const Thread& thread, const ItemMemory& memory) const;
  bool may_end_item(const Thread& thread, std::uint32_t node, bool with_node) const;
  static void read(const Step& from, Symbol symbol, Machine& machine, Step& to);
  static void look_at_symbols(Step& step, Machine& machine, Of of);

  const TokenTrie& trie_;
  const InsideStrings& strings_;
  std::vector<bool> reads_few_;  // of each state: a part of a name that may be the last
  bool runs_out_;    // some array may have all values that it can, some object all names
  bool has_items_;   // that differ, or names that may run out
  Symbol name_end_;  // kEnd: there are no names
};

}  // namespace pleiad::constrain
