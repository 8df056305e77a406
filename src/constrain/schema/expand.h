#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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

  /// Shapes that hold nothing for certain are left out. `asked` gets the schemas that were to hold,
  /// those of shapes that are left out too.
  std::vector<Shape> expand(const Claims& claims, std::vector<const Json*>* asked = nullptr);

  /// What a schema applies to the same value.
  std::vector<const Json*> applied_by(const Json& schema);

 private:
  /// One way to go on: what it adds.
  struct Option {
    TypeSet types = kAllTypes;
    Claims claims = {};
    std::vector<Denial> denials = {};
    std::vector<PresenceClause> clauses = {};
    std::vector<Shape::PropertyClaim> properties = {};
    Claims every_item = {};
    std::vector<Shape::ItemClaim> some_items = {};
    std::vector<Shape::PlaceClaim> places = {};
    const Json* from = nullptr;  // the schema that applies the claims, where that evaluates
  };
  using Choice = std::vector<Option>;
  using ChoicePointer = std::shared_ptr<const Choice>;
  /// The ways in which a schema does not hold.
  struct Opposite {
    ChoicePointer choice;
    const Json* schema = nullptr;
    std::string_view lost = {};                   // a keyword whose opposite cannot be said
    std::vector<std::string_view> of_names = {};  // keywords for with_names()
  };
  /// A claim that is to be worked off, and the schema whose keyword makes it; null where nothing
  /// is evaluated by that.
  struct Step {
    Claim claim;
    const Json* by = nullptr;
  };
  /// A shape on its way.
  struct Draft {
    Shape shape;
    std::vector<Step> todo;  // the next one last
    std::vector<ChoicePointer> choices;
    std::size_t n_chosen = 0;
    std::vector<Opposite> opposites;     // after the choices, in any order
    std::vector<Opposite> out_of_reach;  // needless while is_out_of_reach()
    std::size_t n_narrowed = 0;          // of the shape's schemas
    std::size_t n_narrowed_denials = 0;
  };
  /// One expansion.
  struct Walk {
    Walk(std::size_t most, std::size_t budget, bool asks = false)
        : most_shapes(most), least_budget(budget), is_question(asks) {}

    std::size_t most_shapes;
    std::size_t least_budget;                  // that it must leave
    bool is_question;                          // where shapes come from does not matter
    bool gave_up = false;                      // there are more
    std::vector<const Json*> multiplied = {};  // whose alternatives are too many then
    std::vector<Shape> shapes = {};
    std::unordered_multimap<std::size_t, std::size_t> by_hash = {};  // of shapes
    std::set<Claim> seen = {};    // on the way to the draft at hand
    std::vector<Claim> log = {};  // the same in their order
    std::vector<const Json*> asked = {};
  };

  void walk_all(Walk& walk, Draft draft);
  bool settle(Walk& walk, Draft& draft);
  bool narrow(Draft& draft);
  void narrow_objects(Draft& draft);
  bool are_many(const Draft& draft) const;
  bool is_excluded(const Draft& draft, const Option& option);
  bool excludes(const Shape& shape, const Json& schema);
  bool exclude_value(std::span<const Json* const> schemas, std::string_view name,
                     const Json& value);
  bool holds_surely(const Shape& shape, const Json& schema);
  ChoicePointer next_choice(Draft& draft);
  ChoicePointer next_opposite(Draft& draft);
  /// What a draft says of a way on already: that there is none, or that it is on it.
  enum class Standing : std::uint8_t { open, impossible, implied };
  Standing standing_of(const Shape& shape, const Option& option);
  void forget_unevaluated(const Shape& shape, Claims& claims);
  Standing standing_of(const Shape& shape, const Shape::PropertyClaim& property, bool is_there);
  static ChoicePointer one_way_of(const Choice& ways);
  ChoicePointer left_of(const Shape& shape, const ChoicePointer& choice);
  bool is_of_names(const Json& schema, std::string_view keyword);
  std::pair<std::vector<std::string_view>, bool> names_of_shape(const Shape& shape);
  Claims asked_of_name(const Json& schema, std::string_view keyword, std::string_view name,
                       bool& is_known);
  const Opposite& with_names(const Shape& shape, const Opposite& opposite);
  void note_lost(const Opposite& opposite);
  bool is_needless(Draft& draft, const Opposite& opposite);
  bool is_out_of_reach(const Shape& shape, const Json& schema);
  void put_out(Walk& walk, Shape shape);
  bool add_sources(const Walk& walk, Shape& shape);
  bool may_copy(const Draft& draft);
  /// False where the draft cannot hold.
  bool take(Draft& draft, const Option& option);
  bool add(Draft& draft, const Claim& claim);
  bool add_positive(Draft& draft, const Json& schema);
  bool add_keyword(Draft& draft, const Json& schema, std::string_view keyword, const Json& rule);
  bool add_negative(Draft& draft, const Json& schema);
  const Opposite& opposite_of(const Json& schema);
  static void let_be_absent(Choice& choice);
  /// False where ways in which the keyword does not hold are missing.
  bool add_denied(Choice& choice, const Json& schema, std::string_view keyword, const Json& rule);
  bool add_denied_schemas(Choice& choice, const Json& schema, std::string_view keyword,
                          const Json& rule);
  bool add_denied_branches(Choice& choice, const Json& branches, bool one);
  void add_denied_members(Choice& choice, std::string_view keyword, const Json& rule);
  bool add_denied_as_it_stands(Choice& choice, const Json& schema, std::string_view keyword,
                               const Json& rule);
  bool add_denied_items(Choice& choice, const Json& schema, std::string_view keyword,
                        const Json& rule);
  void add_denied_values(Choice& choice, const Json& schema, std::string_view keyword,
                         const Json& rule);
  const Json* constant(const Json& value, const Json& schema, std::string_view keyword);
  const Json* size_bounds(std::size_t size);
  void add_required(Draft& draft, const Json& names);
  void add_dependencies(Draft& draft, const Json& schema, const Json& rule);
  std::string_view multiplying_keyword(const Json& schema);
  static std::vector<Step> steps_of(const Claims& claims);
  ChoicePointer alternatives(const Json& schema, std::string_view keyword, const Json& parts);
  Choice any_of_these(const Json& schema, const Json& parts);
  Choice exactly_one(const Json& schema, const Json& parts);
  bool are_disjoint(const Json& one, const Json& other);
  const Keywords& named_keywords(const Json& schema);
  bool differ_in_a_property(const Keywords& one, const Keywords& other);
  /// True only where what satisfies the one satisfies the other too.
  bool is_within(const Json& one, const Json& other);
  /// True only where no value can satisfy the claims. Within a question.
  bool is_empty(const Claims& claims, int depth = 3);
  bool is_empty(const Shape& shape, int depth);
  bool leads_back(const Json& schema);

  SchemaContext& context_;
  Validity validity_;
  std::map<std::pair<const Json*, const Json*>, bool> disjoint_, within_;
  int nested_questions_ = 0;                       // whether two are disjoint
  bool may_overlap_ = false;                       // the branches of "oneOf"
  bool has_cuts_ = false;                          // between such branches
  bool is_one_way_enough_ = false;                 // in which a denied schema does not hold
  bool is_one_enough_ = false;                     // of "anyOf", whatever others evaluate
  std::unordered_map<const Json*, bool> circles_;  // true: its way is being followed
  // By the list of a keyword, and what else decides on them.
  std::map<std::tuple<const Json*, int, bool, bool>, ChoicePointer> alternatives_;
  std::map<std::pair<const Json*, int>, Opposite> opposites_;
  // By their ways without names, and by the names and whether these are all.
  std::map<std::tuple<ChoicePointer, bool, std::vector<std::string_view>>, Opposite> with_names_;
  std::map<const Json*, Json> constants_;  // by the value
  std::map<std::size_t, Json> size_bounds_;
};

}  // namespace pleiad::constrain
