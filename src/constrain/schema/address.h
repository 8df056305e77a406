#pragma once

#include <string>
#include <string_view>

namespace pleiad::constrain {

/// What a reference without its fragment names where it stands below `base`: RFC 3986, section 5.2,
/// with a base that may be relative itself, or empty. Nothing else is made alike: no letters, no
/// percent signs.
std::string resolved_address(std::string_view base, std::string_view reference);

}  // namespace pleiad::constrain
