#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "constrain/schema/context.h"
#include "constrain/schema/shape.h"
#include "constrain/schema/verdict.h"

namespace pleiad::constrain {

/// Says whether values of the schema itself, of "enum" and "const", and names of properties are
/// valid. Not known is it where a keyword is not understood, a pattern is too large, or too many
/// schemas apply to a value one within the other.
class Validity {
 public:
  explicit Validity(SchemaContext& context) : context_(context) {}

  Verdict of(const Json& schema, const Json& value);
  /// `listed`: a schema of the shape whose "enum" has the value for certain.
  Verdict of(const Shape& shape, const Json& value, const Json* listed = nullptr);

  /// Whether it may be valid. That it is not known is noted, with the keyword.
  bool admits(const Json& schema, const Json& value) { return settled(of(schema, value)); }
  bool admits(const Shape& shape, const Json& value, const Json* listed = nullptr) {
    return settled(of(shape, value, listed));
  }

 private:
  /// Why something is not known.
  struct Doubt {
    const Json* schema = nullptr;
    std::string_view keyword;
    std::string why;
  };

  bool settled(Verdict verdict);
  Verdict doubt(const Json& schema, std::string_view keyword, std::string_view why);
  Verdict valid(const Json& schema, const Json& value, int depth);
  Verdict beside_its_list(const Json& schema, const Json& value);
  Verdict claimed(const Claim& claim, const Json& value);
  Verdict keyword(const Json& schema, std::string_view name, const Json& rule, const Json& value,
                  int depth);
  Verdict choice_keyword(const Json& schema, std::string_view name, const Json& rule,
                         const Json& value, int depth);
  Verdict object_keyword(const Json& schema, std::string_view name, const Json& rule,
                         const Json& value, int depth);
  Verdict member(const Json& schema, std::string_view name, const Json& rule,
                 const std::string& key, const Json& value, int depth);
  Verdict array_keyword(const Json& schema, std::string_view name, const Json& rule,
                        const Json& value, int depth);
  Verdict contained(const Json& schema, const Json& rule, const Json& value, int depth);
  Verdict string_keyword(const Json& schema, std::string_view name, const Json& rule,
                         const std::string& value);
  Verdict matched(const Json& schema, std::string_view name, std::string_view pattern,
                  const std::string& value);
  Verdict format_of_string(const Json& schema, std::string_view format, const std::string& value);
  Verdict number_keyword(const Json& schema, std::string_view name, const Json& rule,
                         const Json& value);
  bool has_all(const Json& names, const Json& value);

  SchemaContext& context_;
  std::optional<Doubt> doubt_;  // the first one of a question
};

/// The values that a shape names by "enum" or "const", null among them where it is "nullable".
struct ListedValues {
  std::vector<const Json*> values;
  const Json* schema = nullptr;   // that names them
  const Json* of_enum = nullptr;  // the schema, for Validity::of(); null where it is of "const"
};
std::optional<ListedValues> listed_values(SchemaContext& context, const Shape& shape);

/// Characters of a text.
std::size_t n_characters(std::string_view text);

}  // namespace pleiad::constrain
