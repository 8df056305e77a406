#pragma once

#include "base/json.h"
#include "constrain/schema/context.h"
#include "constrain/schema/shape.h"

namespace pleiad::constrain {

/// Says whether values of the schema itself, of "enum" and "const", are valid.
class Validity {
 public:
  explicit Validity(SchemaContext& context) : context_(context) {}

  bool holds(const Json& schema, const Json& value) { return valid(schema, value, 0); }
  /// `listed`: a schema of the shape whose "enum" has the value for certain.
  bool holds(const Shape& shape, const Json& value, const Json* listed = nullptr);

 private:
  bool valid(const Json& schema, const Json& value, int depth);
  bool keyword(const Json& schema, std::string_view name, const Json& rule, const Json& value,
               int depth);
  bool choice_keyword(const Json& schema, std::string_view name, const Json& rule,
                      const Json& value, int depth);
  bool object_keyword(const Json& schema, std::string_view name, const Json& rule,
                      const Json& value, int depth);
  bool array_keyword(const Json& schema, std::string_view name, const Json& rule, const Json& value,
                     int depth);
  bool string_keyword(std::string_view name, const Json& rule, const std::string& value);

  SchemaContext& context_;
};

/// The keyword's own rule for numbers; true where it is none for numbers.
bool number_holds(const Json& schema, std::string_view name, const Json& rule, const Json& value);

/// Characters of a text.
std::size_t n_characters(std::string_view text);

}  // namespace pleiad::constrain
