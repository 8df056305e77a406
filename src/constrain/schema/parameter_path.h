#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pleiad::constrain {

/// Where in a request a part of a schema stands, as errors name a request's parameters: the
/// schema's own path and, behind it, a JSON pointer into it. "/properties/age/anyOf/1" in "format"
/// is `format.properties.age.anyOf[1]`; names that are no words are quoted, `format.properties["a
/// b"]`, and of long ones the first 80 bytes are named.
std::string parameter_path(std::string_view schema, std::string_view pointer);

/// The steps of a JSON pointer, as keys have them: "/a~1b/0" is "a/b" and "0".
std::vector<std::string> pointer_steps(std::string_view pointer);

/// The path that a message "path: what is wrong" begins with; empty where it begins with none.
std::string_view leading_path(std::string_view message);

}  // namespace pleiad::constrain
