#pragma once

#include <string>

#include "base/json.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain {

/// Where a schema cannot be followed: a keyword of one of its parts, or all that the part says.
struct SchemaFault {
  std::string pointer;       // of the part, a JSON pointer
  std::string keyword;       // may be empty: all but its "type"
  bool is_opposite = false;  // it cannot be followed where it must not hold
};

/// Takes that out of a schema, which then allows more values and no fewer. With a keyword go those
/// of its part that look at what it leaves, and what asks something of unevaluated properties or
/// items, of which there would be more. Where less would ask for more, within "not", "if" and
/// "oneOf", and "contains" beside "maxContains", the whole of that keyword goes, also where it is
/// by a "$ref" that the part stands within it. Where it is the opposite that cannot be followed,
/// these go alone, and of "oneOf" any branch may hold. False, and nothing is changed, where nothing
/// would be left of the schema, there is no such place, or the budget does not suffice.
bool leave_out(Json& schema, const SchemaFault& fault, SchemaBudget& budget);

}  // namespace pleiad::constrain
