#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "constrain/pattern.h"
#include "constrain/value_writer.h"

namespace pleiad::constrain {

/// As text; a larger one is refused.
inline constexpr std::size_t kMaxSchemaBytes = 256U << 10;

/// In which order an object's properties are written.
enum class PropertyOrder : std::uint8_t { as_declared, sorted };

/// Turns JSON schemas into rules of an automaton.
///
/// Understood: type, properties, required, additionalProperties, items, prefixItems,
/// minItems, maxItems, enum, const, anyOf, oneOf (as anyOf), allOf (merged), $ref within the
/// document, minLength, maxLength, pattern, format, minimum, maximum, exclusiveMinimum,
/// exclusiveMaximum, multipleOf (a whole number, or a power of ten below one) and nullable.
/// Another keyword of the standard that changes what is valid is a Failure.
///
/// Narrower than the standard, as elsewhere: an object with "properties" has no others
/// unless "additionalProperties" says so; "items" and the like without a "type" mean an
/// array, and so on.
class SchemaCompiler {
 public:
  /// `root` holds what "$ref" names, and `where` begins messages; both live as long as this.
  SchemaCompiler(ValueWriter& writer, const Json& root, std::string where, PropertyOrder order);

  /// The rule of the whole document.
  Result<Rule> compile();

 private:
  /// Where a schema stands, for messages and against endless merging.
  struct Place {
    std::string pointer;
    int depth = 0;

    Place at(std::string_view key) const;
    Place at(std::string_view key, std::size_t index) const;
  };

  Rule value(const Json& schema, const Place& place);
  Rule reference(const Json& schema, const Place& place);
  Rule merged(const Json& left, const Json& right, const Place& place);
  Rule all_of(const Json& schema, const Place& place);
  Rule any_of(const Json& schema, const char* keyword, const Place& place);
  Rule enumerated(const Json& schema, const Place& place);
  Rule typed(const Json& schema, const Place& place);
  Rule of_type(const std::string& type, const Json& schema, const Place& place);
  Rule object(const Json& schema, const Place& place);
  Rule array(const Json& schema, const Place& place);
  Rule string(const Json& schema, const Place& place);
  Rule number(const Json& schema, bool is_integer, const Place& place);

  bool check_keywords(const Json& schema, const Place& place);
  std::vector<std::string> types_of(const Json& schema, const Place& place);
  const Json* resolve(const std::string& reference, const Place& place);
  std::uint32_t whole_number(const Json& schema, const char* keyword, std::uint32_t otherwise,
                             const Place& place);
  void fail(const Place& place, std::string_view why);
  Rule failed(const Place& place, std::string_view why);

  ValueWriter& writer_;
  const Json& root_;
  std::string where_;
  PropertyOrder order_;
  std::string failure_;
  int n_schemas_ = 0;
  std::size_t pattern_work_ = kPatternWork;  // that is left
  std::size_t merged_bytes_ = 0;             // that merging has copied
  std::map<std::string, Rule> references_;   // by what "$ref" says
};

}  // namespace pleiad::constrain
