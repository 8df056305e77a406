#pragma once

#include <string>
#include <string_view>

#include "serving/answer.h"

namespace pleiad::api {

/// The function's name in a declaration, as requests have it once it was read.
const std::string& offered_name(const Json& tool);
bool is_offered(const serving::AnswerRequest& request, std::string_view name);

/// Adds a declaration that was read to the request's tools. `path`: where its schema stands, or
/// empty where the request has no paths. One that was declared before may come again, with another
/// description if need be; where its arguments would have to follow another schema, throws
/// RequestError of `name_path`.
void offer_tool(serving::AnswerRequest& request, Json tool, std::string path,
                const std::string& name_path);

}  // namespace pleiad::api
