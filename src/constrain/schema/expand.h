#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "constrain/schema/context.h"
#include "constrain/schema/shape.h"
#include "constrain/schema/validity.h"

namespace pleiad::constrain {

/// Works out what applies schemas to the same value ("$ref", "allOf", "anyOf", "oneOf", "not",
/// "if", "dependentSchemas" and the like): what is left are shapes, one of which a value must have.
///
/// What a denied schema allows may be less than the standard says (where a keyword's opposite
/// cannot be said), never more. What is claimed to hold and cannot be said is noted.
class Expander {
 public:
  explicit Expander(SchemaContext& context) : context_(context), validity_(context) {}

  /// Shapes that hold nothing for certain are left out.
  std::vector<Shape> expand(const Claims& claims);

  /// True only where no value can satisfy the claims.
  bool is_empty(const Claims& claims, int depth = 3);

 private:
  /// One way to go on: what it adds.
  struct Option {
    TypeSet types = kAllTypes;
    Claims claims = {};
    std::vector<Denial> denials = {};
    std::vector<PresenceClause> clauses = {};
    std::vector<Shape::PropertyClaim> properties = {};
    Claims every_item = {}, some_item = {};
  };
  using Choice = std::vector<Option>;
  /// A shape on its way.
  struct Draft {
    Shape shape;
    std::deque<Claim> todo;
    std::set<Claim> seen;
    std::deque<Choice> choices;
  };

  void work(Draft draft, std::vector<Shape>& out);
  void take(Draft& draft, const Option& option);
  /// False where the draft cannot hold.
  bool add(Draft& draft, const Claim& claim);
  bool add_positive(Draft& draft, const Json& schema);
  bool add_keyword(Draft& draft, const Json& schema, const std::string& keyword, const Json& rule);
  bool add_negative(Draft& draft, const Json& schema);
  void add_denied(Choice& choice, const Json& schema, const std::string& keyword, const Json& rule);
  void add_required(Draft& draft, const Json& schema, const Json& names);
  void add_dependencies(Draft& draft, const Json& schema, const std::string& keyword,
                        const Json& rule);
  Choice alternatives(const Json& schema, const std::string& keyword, const Json& parts);
  Choice exactly_one(const Json& schema, const Json& parts);
  bool are_disjoint(const Json& one, const Json& other);
  bool is_empty(const Shape& shape, int depth);
  TypeSet read_types(const Json& schema, const Json& rule);
  bool leads_back(const Json& schema, int depth);

  SchemaContext& context_;
  Validity validity_;
  std::map<std::pair<const Json*, const Json*>, bool> disjoint_;
  int nested_questions_ = 0;                       // whether two are disjoint
  std::unordered_map<const Json*, bool> circles_;  // true: its way is being followed
};

}  // namespace pleiad::constrain
