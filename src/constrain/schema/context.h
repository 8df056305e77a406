#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "constrain/schema/budget.h"
#include "constrain/schema/document.h"
#include "constrain/schema/keywords.h"
#include "constrain/schema/leave_out.h"
#include "constrain/syntax.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// In which order an object's properties are written. `any`: but where ObjectForm::any_order says
/// that it cannot be.
enum class PropertyOrder : std::uint8_t { as_declared, sorted, any };

/// How a schema is read.
struct SchemaPolicy {
  PropertyOrder order = PropertyOrder::as_declared;
  /// A keyword that cannot be enforced is a Failure; else it is noted, and the rest holds.
  bool refuse_unenforced = true;
  /// An object of which a schema names properties, one by one or by patterns, has no others unless
  /// "additionalProperties" or the like says so. The standard allows any.
  bool closed_objects = true;
  /// "items" without a "type" means an array, and so on. The standard allows values of all other
  /// types.
  bool implied_types = true;
  /// An "oneOf" whose overlaps are too many to be cut away is a Failure too; else any of its
  /// branches may hold, which is noted.
  bool refuse_overlaps = false;
  /// Who follows the rules remembers no names. Those that are not listed come in their order, so
  /// that each comes once, where they are few. Others may come twice: what "minProperties" may not
  /// count is refused then.
  bool forgets_names = false;
};

/// A keyword that asks for something that is not enforced.
struct SchemaNote {
  std::string path;  // the keyword's, see parameter_path()
  std::string why;
  bool is_of_other_types = false;  // the keyword says nothing of these values, as is the standard
};

/// What is known and counted while one schema is compiled.
class SchemaContext {
 public:
  /// `root` and `budget` live as long as this. `where` is the root's path in
  /// the request.
  SchemaContext(const Json& root, Syntax syntax, std::string where, const SchemaPolicy& policy,
                SchemaBudget& budget);

  const SchemaDocument& document() const { return document_; }
  const SchemaPolicy& policy() const { return policy_; }
  Syntax syntax() const { return syntax_; }

  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  /// What it is of. Nothing where it is of no part, or nothing failed.
  const std::optional<SchemaFault>& fault() const { return fault_; }
  /// What has to go together with that.
  const std::vector<SchemaFault>& more_faults() const { return more_faults_; }
  /// The first ones; where there are more, the last says how many.
  std::vector<SchemaNote> notes() const;

  /// Ends the compilation; the first counts. `keyword` may be empty.
  void fail(const Json* part, std::string_view keyword, std::string_view why);
  /// That it is not enough to leave out what failed.
  void add_fault(const Json* part, std::string_view keyword) {
    more_faults_.push_back(fault_at(part, keyword));
  }
  /// The keyword is not enforced.
  void note(const Json* part, std::string_view keyword, std::string_view why);
  /// The keyword is none that must be enforced: never a failure.
  void remark(const Json* part, std::string_view keyword, std::string_view why);
  /// The same of one that is about other values than those which are asked for.
  void remark_of_other_types(const Json* part, std::string_view keyword, std::string_view why);

  /// The keyword, or all that the part says, is denied in some of the ways only in which it may not
  /// hold, so that there may be more values than are found.
  void lose(const Json* part, std::string_view keyword);
  /// What was lost first since forget_lost().
  std::optional<SchemaFault> lost() const;
  void forget_lost() { lost_.reset(); }

  /// While one lives, what is asked is a try: nothing is noted.
  class Quiet {
   public:
    explicit Quiet(SchemaContext& context) : context_(context) { ++context_.quiet_; }
    ~Quiet() { --context_.quiet_; }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    SchemaContext& context_;
  };

  /// What is said of a schema that was made is said of the keyword that it was made of.
  void set_origin(const Json* made, const Json* part, std::string_view keyword);

  bool is_made(const Json* schema) const { return origins_.contains(schema); }

  /// What is worked on: a failure for want of budget names it.
  void set_at_hand(const Json* part) { at_hand_ = part; }
  /// Takes some of the budget; false, and a failure, where it is not enough.
  bool spend(std::size_t steps);
  std::size_t budget_left() const { return budget_.left(); }

  /// What a part says as a schema; a failure where a keyword's rule is of no allowed kind.
  const Keywords& keywords(const Json& schema);
  /// The rule of one keyword; null where there is none.
  const Json* keyword(const Json& schema, std::string_view name) {
    return keywords(schema).find(name);
  }
  /// A keyword of a part, or all of it, as faults and messages name it.
  SchemaFault fault_at(const Json* part, std::string_view keyword) const;
  std::string path_of(const SchemaFault& fault) const;

  /// What "$ref" and the like of a part name; null, and a failure, where that is nothing.
  const Json* resolve(const Json& part, std::string_view keyword);

  /// The strings, in the syntax's spelling, that a regular expression finds something in, which
  /// may be none; null where it is not understood or too large, and `problem` says why.
  const Dfa* pattern(std::string_view pattern, std::string& problem);
  /// Whether it is known to find something in no string.
  bool matches_nothing(std::string_view pattern);
  /// Whether it finds something in a text. Nothing where pattern() gives null.
  std::optional<bool> matches(std::string_view pattern, std::string_view text);

  /// The functions of dfa.h, which this pays for. Nothing, too, where the budget does not suffice;
  /// that is a failure.
  std::optional<Dfa> restricted(const Dfa& dfa, const std::vector<DfaCondition>& conditions,
                                std::size_t max_states);
  std::optional<Dfa> without(const Dfa& dfa, const std::vector<Symbols>& texts);
  Dfa texts_dfa(const std::vector<Symbols>& texts);
  /// Pays for one that is made, or for `max_states` that were not enough.
  void spend_on(const std::optional<Dfa>& made, std::size_t max_states, std::size_t per_state = 1);
  void spend_on(const Dfa& made);

 private:
  void add_note(const Json* part, std::string_view keyword, std::string_view why,
                bool is_of_other_types = false);

  /// A keyword of a part of the document.
  struct Origin {
    const Json* part = nullptr;
    std::string_view keyword;
  };
  /// The same where the part is none that was made.
  Origin origin_of(const Json* part, std::string_view keyword) const;

  SchemaDocument document_;
  Syntax syntax_;
  std::string where_;
  SchemaPolicy policy_;
  std::string failure_;
  std::optional<SchemaFault> fault_;
  std::vector<SchemaFault> more_faults_;
  const Json* at_hand_ = nullptr;
  std::vector<SchemaNote> notes_;
  std::set<std::pair<const Json*, std::string>> noted_;
  std::unordered_map<const Json*, Origin> origins_;  // of schemas that were made
  int quiet_ = 0;
  std::optional<Origin> lost_;
  SchemaBudget& budget_;
  std::unordered_map<const Json*, Keywords> keywords_;
  std::map<std::pair<const Json*, std::string_view>, const Json*> targets_;  // of references
  std::map<std::string, Result<Dfa>, std::less<>> patterns_;
};

/// Why a keyword is not denied.
inline constexpr const char* kNoOpposite = "its opposite cannot be enforced";

/// Whether a deterministic automaton accepts the symbols.
bool accepts_symbols(const Dfa& dfa, const Symbols& symbols);

}  // namespace pleiad::constrain
