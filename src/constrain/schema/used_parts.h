#pragma once

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "constrain/automaton.h"
#include "constrain/schema/shape.h"

namespace pleiad::constrain {

/// Which parts of a schema were asked of values, and which rules are of values that satisfy them:
/// what is of rules without an end only is never written.
class UsedParts {
 public:
  /// Values of these types of a shape.
  struct Way {
    TypeSet types = 0;
    StateId start = 0;
  };
  struct Dead {
    const Json* part = nullptr;
    TypeSet types = 0;              // for which there was no way
    bool is_whole = false;          // those are all
    const Claims* among = nullptr;  // with which it was asked first; of what compiled the schema
  };

  /// A part that does not hold, for a property that has to be there though nothing lists it.
  struct Unlisted {
    const Json* part = nullptr;
    std::string_view property;
  };

  /// That the part was to hold, with claims that live as long as what compiles the schema.
  void ask(const Json* part, const Claims& among);
  /// That values of these types would satisfy the parts, and these ways of them there are.
  void add(std::vector<const Json*> parts, TypeSet types, std::vector<Way> ways,
           const std::optional<Unlisted>& unlisted);

  /// In the order in which they were asked; behind Automaton::finish().
  std::vector<Dead> dead(const Automaton& automaton) const;

  /// The first such part without which nothing is written of some part that was asked.
  std::optional<Unlisted> unlisted(const Automaton& automaton) const;

 private:
  struct Asked {
    const Json* part;
    const Claims* among;
  };
  struct Use {
    std::vector<const Json*> parts;
    TypeSet types;
    std::vector<Way> ways;
    std::optional<Unlisted> unlisted;
  };
  static TypeSet written(const Use& use, const Automaton& automaton);

  std::vector<Asked> asked_;
  std::unordered_set<const Json*> known_;
  std::vector<Use> uses_;
};

}  // namespace pleiad::constrain
