#pragma once

#include <string>

#include "base/json.h"

namespace pleiad::constrain {

/// Where a schema cannot be followed: a keyword of one of its parts, or all that the part says.
struct SchemaFault {
  std::string pointer;       // of the part, a JSON pointer
  std::string keyword;       // may be empty: all but its "type"
  bool is_opposite = false;  // it cannot be followed where it must not hold
};

/// Takes that out of a schema, which then allows more values and no fewer: with a keyword go those
/// of its part that look at what it leaves, and where less would ask for more (within "not", "if"
/// and "oneOf") the whole of that keyword; but where it is the opposite that cannot be followed, of
/// "oneOf" any branch may hold. False, and nothing is changed, where nothing would be
/// left of the schema, or there is no such place.
bool leave_out(Json& schema, const SchemaFault& fault);

}  // namespace pleiad::constrain
