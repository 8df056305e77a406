#include "constrain/texts/spelling_tree.h"

#include <cstddef>
#include <map>
#include <span>
#include <utility>

namespace pleiad::constrain {
namespace {

using Spelling = std::span<const SymbolRange>;

class TreeWriter {
 public:
  std::uint32_t write(const std::vector<Spelling>& spellings) {
    std::map<std::pair<Symbol, Symbol>, std::vector<Spelling>> rests;
    for (const Spelling& spelling : spellings) {
      const SymbolRange range = spelling.front();
      rests[{range.first, range.last}].push_back(spelling.subspan(1));
    }
    SpellingTree::Node node;
    for (const auto& [range, rest] : rests) {
      const bool is_whole = rest.front().empty();
      const std::uint32_t target = is_whole ? SpellingTree::kWhole : write(rest);
      const bool joins =
          !node.empty() && node.back().target == target && node.back().last + 1 == range.first;
      if (joins) {
        node.back().last = range.second;
      } else {
        node.push_back({range.first, range.second, target});
      }
    }
    const auto [found, is_new] =
        known_.try_emplace(node, static_cast<std::uint32_t>(tree.nodes.size()));
    if (is_new) tree.nodes.push_back(std::move(node));
    return found->second;
  }

  SpellingTree tree;

 private:
  std::map<SpellingTree::Node, std::uint32_t> known_;
};

}  // namespace

SpellingTree spelling_tree(Syntax syntax, const std::vector<CodeRange>& characters) {
  const std::vector<std::vector<SymbolRange>> all = spellings(syntax, characters);
  TreeWriter writer;
  writer.write({all.begin(), all.end()});
  return std::move(writer.tree);
}

}  // namespace pleiad::constrain
