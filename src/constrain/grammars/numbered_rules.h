#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "constrain/grammars/rule_names.h"
#include "constrain/grammars/source_text.h"

namespace pleiad::constrain::grammars {

/// The rules with a number of one grammar in Lark, `rule::_: ...`: each is read once for every
/// number with which it is named, and is a plain rule "rule::N" then.
class NumberedRules {
 public:
  /// A rule that is to be read for a number.
  struct Instance {
    std::string name;  // "rule::5"
    std::uint64_t number = 0;
    std::size_t body_at = 0;   // the word with which what it is begins
    std::size_t named_at = 0;  // where it is defined, in bytes
  };

  /// `body_at`: its word. A second definition is a problem.
  void define(SourceText& source, const std::string& name, std::size_t body_at,
              std::size_t named_at);
  /// Remembers that a rule of this name has to have a number.
  void mention(const std::string& name, std::size_t at) { mentioned_.try_emplace(name, at); }
  /// The plain rule, for what names it at `at`.
  std::uint32_t refer(RuleNames& names, const std::string& name, std::uint64_t number,
                      std::size_t at);

  /// Once all rules are read: names without such a rule, or without the number of one, are
  /// problems.
  void check(SourceText& source, const RuleNames& names) const;
  bool all_are_read() const { return to_read_.empty(); }
  /// The next one to be read; every one that refer() has named comes once.
  Instance take();

 private:
  struct Rule {
    std::size_t body_at = 0;
    std::size_t named_at = 0;
  };
  struct Named {
    std::string rule;
    std::uint64_t number = 0;
  };
  std::map<std::string, Rule> rules_;
  std::map<std::string, std::size_t> mentioned_;  // where first
  std::vector<Named> to_read_;
};

}  // namespace pleiad::constrain::grammars
