#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "constrain/schema/compiler.h"

namespace pleiad::constrain {

/// Which values of a schema are asked for.
struct WantedValues {
  std::string where;  // the schema's path in the request
  SchemaPolicy policy;
  Syntax syntax = Syntax::json;
  TypeSet types = kAllTypes;
  std::uint32_t most_levels = Automaton::kMaxDepth;
};

/// What is to blame where there are none of these: see SchemaCompiler::impossible_part(). Nothing
/// where there are some, or where the budget does not suffice.
std::optional<ImpossiblePart> impossible_part(const Json& schema, const WantedValues& wanted,
                                              SchemaBudget& budget);

/// See SchemaCompiler::unwritten_parts(): where there are some values, as "path: why".
std::vector<std::string> unwritten_parts(const Json& schema, const WantedValues& wanted,
                                         SchemaBudget& budget);

/// Takes out of a schema what is to blame, so that there are some: of a part that no value
/// satisfies, or of another that the same value is held to, the last keyword without which one
/// does; where there is none, or its values are nested too deeply, all that the part says. Its
/// "type" goes alone, where nothing else helps.
/// `left_out` gets what that was, in words, and has `most` of them at the end. False, and nothing
/// is changed, where that does not help.
bool make_satisfiable(Json& schema, const WantedValues& wanted, SchemaBudget& budget,
                      std::size_t most, std::vector<std::string>& left_out);

/// Whether what was left out is such a part, so that no value is valid under the whole.
bool tells_of_no_value(std::string_view left_out);

}  // namespace pleiad::constrain
