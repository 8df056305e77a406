#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "constrain/schema/claims.h"
#include "constrain/schema/context.h"
#include "constrain/schema/expand.h"
#include "constrain/schema/text_language.h"
#include "constrain/schema/used_parts.h"
#include "constrain/texts/number.h"
#include "constrain/texts/number_formats.h"
#include "constrain/value_writer.h"

namespace pleiad::constrain {

/// As text; a larger one is refused.
inline constexpr std::size_t kMaxSchemaBytes = 256U << 10;

/// A part of a schema that no value satisfies.
struct ImpossiblePart {
  /// There is none; or none is found, as not all ways are known in which the keyword does not hold.
  enum class Kind : std::uint8_t { no_value, none_is_found, too_deep };

  Kind kind = Kind::no_value;
  SchemaFault fault;
  std::string path;
  std::string why;  // behind the path, in words
  /// What the same value is held to besides, so that it may be to blame as well; the first few.
  struct Other {
    SchemaFault fault;
    std::string path;
  };
  std::vector<Other> others = {};
  /// Of the part's own keywords the list that has nothing in it, so that it allows no value:
  /// "enum" or "type". Empty where none is so.
  std::string_view empty_list = {};

  /// "path: why", where the path names that list too.
  std::string message() const;
};

/// Turns JSON schemas of drafts 4 to 2020-12 into rules of an automaton.
///
/// What a value may be is never meant to be more than the schema allows, but where a note says so:
/// what cannot be decided is noted. It is less where SchemaPolicy says so, and where
/// docs/structured-output.md does.
class SchemaCompiler {
 public:
  /// `root` holds what "$ref" names, and `where` begins messages; they and the budget live as long
  /// as this.
  SchemaCompiler(ValueWriter& writer, const Json& root, std::string where,
                 const SchemaPolicy& policy, SchemaBudget& budget);

  /// The rule of the whole document: of those values of it that have one of the types.
  Result<Rule> compile(TypeSet types = kAllTypes);

  /// Where compile() failed; nothing where that is no part.
  const std::optional<SchemaFault>& fault() const { return context_.fault(); }
  /// What has to be left out together with that.
  const std::vector<SchemaFault>& more_faults() const { return context_.more_faults(); }

  /// What is to blame where no value satisfies the document, or only ones that are nested in more
  /// than `most` levels: the smallest part, as far as it is seen. Behind compile() of these types,
  /// with the heights of the automaton known. Nothing where there are such values.
  std::optional<ImpossiblePart> impossible_part(std::uint32_t most, TypeSet types = kAllTypes);

  /// The smallest parts that no value satisfies, or none that is valid where they stand, though
  /// others satisfy the document: branches, properties and items that are never written. Not those
  /// that say so themselves ("not": {}). And a part that does not hold for a property alone that
  /// nothing lists: what the standard says of "oneOf" and "not", and what may not be meant. Behind
  /// compile(), with the heights of the automaton known.
  std::vector<SchemaNote> unwritten_parts();

  /// Of compile().
  const UsedParts& used_parts() const { return used_; }

  /// What compile() left unenforced.
  std::vector<SchemaNote> notes() const { return context_.notes(); }

 private:
  /// How many spellings a value has, but for blanks. Items that have to differ have one, so that
  /// equal ones have equal texts: without escapes and zeros that could be left out, and with
  /// properties in the order that the schema gives, or in that of the alphabet where it gives
  /// several.
  enum class Spelling : std::uint8_t { any, one, one_sorted };
  struct DistinctArray {
    DistinctItems array;
    std::vector<const Json*> schemas;  // that ask for it
  };

  /// What is valid under all claims; its rule is filled in later.
  Rule value(const Claims& claims) { return value(claims, spelling_); }
  Rule value(const Claims& claims, Spelling spelling);
  Claims asked_by(const Claims& claims);
  std::string place_of(const Claims& claims) const;
  const Json* behind_references(const Json* schema);
  void fill(const Claims& claims, const Rule& rule, TypeSet types = kAllTypes);
  /// Rules of the types that a shape allows; of `types` is what there are to be rules of.
  struct Way {
    TypeSet types;
    Rule rule;
  };
  std::vector<Way> rules_of(Shape& shape);
  std::optional<UsedParts::Unlisted> unlisted_denied(const Shape& shape);
  bool spend_on(const Shape& shape);
  void note_asked(const Shape& shape, TypeSet types, std::string_view why);
  void narrow_to_implied_types(Shape& shape);
  std::optional<Rule> listed(const Shape& shape);
  void tell_of_lost_digits(const ListedValues& listed, const Json& value);
  Rule boolean(const Shape& shape);

  /// A value that has to be there, and cannot be.
  struct ImpossibleChild {
    Claims claims;
    std::string_view name;  // of a property
  };
  ImpossiblePart none_is_found(const SchemaFault& lost) const;
  bool is_of_all_shapes(const Claims& claims, const Claims& around) const;
  std::string reason_of(const Json* part);
  bool has_empty_pattern(const Json& schema);
  const Json* empty_pattern_of(const Claims& claims, TypeSet types);
  ImpossiblePart part_without_value(const ImpossibleChild& at, TypeSet types);
  std::vector<ImpossiblePart::Other> others_that_hold(const Claims& claims, const Json* part) const;
  std::optional<ImpossibleChild> impossible_child(const Shape& shape, std::uint32_t height);
  bool is_as_high(const Claims& claims, std::uint32_t height);
  using DeadParts = std::unordered_map<const Json*, const UsedParts::Dead*>;
  bool says_never(const Json& part);
  bool is_condition(const Json* part) const;
  void leave_told_types(UsedParts::Dead& dead);
  const Json* needed_part(const UsedParts::Dead& dead, const DeadParts& all);
  const UsedParts::Dead* last_needed(const UsedParts::Dead& dead, const DeadParts& all);
  SchemaNote unwritten_part(const UsedParts::Dead& dead);

  std::optional<Rule> object(const Shape& shape);
  std::vector<std::string_view> name_patterns(const Shape& shape);
  void tell_of_order(const Shape& shape, const ObjectForm& form);
  void hold_names_without_memory(const Shape& shape, ObjectForm& form);
  std::vector<OtherForm> other_forms(const Shape& shape, const std::vector<std::string>& names,
                                     const std::vector<std::string_view>& patterns);
  std::vector<Dfa> names_left(const Shape& shape, const std::vector<DfaCondition>& conditions,
                              const std::vector<Symbols>& taken);
  std::vector<std::vector<DfaCondition>> name_conditions(const Shape& shape);
  struct WantedItem {
    Shape::ItemClaim item;
    std::vector<const Json*> evaluating;  // whose "contains" it is, where that evaluates
  };
  std::optional<Rule> array(const Shape& shape);
  std::vector<WantedItem> wanted_items(const Shape& shape);
  ArrayForm::Item item_forms(const Shape& shape, std::optional<std::size_t> index,
                             const std::vector<WantedItem>& wanted, Spelling spelling);
  void note_wanted(const std::vector<WantedItem>& wanted, std::string_view why);
  std::vector<const Json*> asking_for_unique(const Shape& shape);
  void note_unique(const std::vector<const Json*>& schemas, std::string_view why);
  void check_distinct();
  bool reaches(const Rule& rule, const std::set<StateId>& states);
  std::optional<Rule> string(const Shape& shape);
  /// How the lengths that formats have beside their patterns are held.
  enum class FormatLengths : std::uint8_t { counted, by_pattern };
  std::optional<TextLanguage> text_language(const Shape& shape, FormatLengths lengths);
  bool is_bounded_by_format(const Shape& shape);
  std::optional<std::vector<Rule>> rules_of_texts(const TextLanguage& language);
  void add_denied_words(const Shape& shape, TextLanguage& language);
  struct AskedNumber;
  void ask_of_number(const Json& schema, AskedNumber& asked);
  void ask_of_denied(const Denial& denial, AskedNumber& asked);
  void forbid(NumberForm forbidden, const Denial* denial, AskedNumber& asked);
  void forbid_numbers(const Shape& shape, AskedNumber& asked);
  std::optional<Dfa> numbers_of_form(const Shape& shape, NumberForm& form);
  std::optional<Rule> number(const Shape& shape);
  void see_whether_digits_exclude(const Shape& shape, NumberForm form,
                                  const std::vector<DfaCondition>& denied);
  std::optional<NumberRange> range_of_format(const Json& schema);

  ValueWriter& writer_;
  SchemaContext context_;
  Expander expander_;
  Validity validity_;
  using Wanted = std::pair<Claims, Spelling>;
  std::map<Wanted, Rule> rules_;
  UsedParts used_;
  Claims document_claims_;
  Rule whole_;  // what compile() gave
  std::deque<const std::pair<const Wanted, Rule>*> todo_;
  Spelling spelling_ = Spelling::any;  // of what is being written
  std::set<StateId> spelled_freely_;   // that were to have one spelling and have several
  std::vector<DistinctArray> distinct_;
  std::deque<Dfa> made_;  // that conditions point at
  // Shapes of which only numbers of more digits are valid than are written.
  std::set<std::vector<const Json*>> of_longer_numbers_;
};

/// Values that its denials name, or that one does.
std::vector<const Json*> denied_values(const Shape& shape);
std::vector<const Json*> values_of(const Denial& denial);

}  // namespace pleiad::constrain
