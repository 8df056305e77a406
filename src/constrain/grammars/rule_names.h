#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constrain/grammars/grammar_tree.h"
#include "constrain/grammars/source_text.h"

namespace pleiad::constrain::grammars {

/// The rules of a grammar that is read, which are named before or after they are defined.
class RuleNames {
 public:
  using Names = std::map<std::string, std::uint32_t>;

  /// From now on names mean these; gives those before. The rules stay: check() asks about all.
  Names exchange_names(Names names) { return std::exchange(indices_, std::move(names)); }
  /// The rule of this name, for what names it at `at`.
  std::uint32_t refer(const std::string& name, std::size_t at);
  /// A second definition, or one that is too deep, is a problem at `at`.
  void define(SourceText& source, std::size_t at, const std::string& name, Expression body,
              bool is_terminal = false);
  /// A rule that nothing can name.
  std::uint32_t add(std::string name, Expression body);

  /// Whether it is defined; or at least named.
  bool has(const std::string& name) const;
  bool is_named(const std::string& name) const { return indices_.contains(name); }
  /// Where it was named first.
  std::size_t named_at(std::uint32_t rule) const { return rules_[rule].named_at; }
  std::uint32_t index(const std::string& name) const { return indices_.at(name); }
  /// Names that nothing defines are a problem; `what` says what they are.
  void check(SourceText& source, std::string_view what) const;
  GrammarTree& tree() { return tree_; }
  GrammarTree take_tree() { return std::move(tree_); }

 private:
  struct Rule {
    bool is_defined = false;
    std::size_t named_at = 0;
  };
  std::uint32_t index_of(const std::string& name, std::size_t at);

  GrammarTree tree_;
  std::vector<Rule> rules_;  // as the tree's
  Names indices_;
};

}  // namespace pleiad::constrain::grammars
