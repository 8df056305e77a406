#pragma once

#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "serving/answer.h"

namespace pleiad::api {

/// The word that a field has, which has a text: "none", "auto" or "required". Throws RequestError.
serving::ToolChoice::Kind read_choice_word(FieldReader& fields, std::string_view key);

/// Where a choice requires a call, that there are tools, and where it names one, that one. `body`
/// has what the client declared. Throws RequestError of `path`, or of the name's path.
void check_tool_choice(FieldReader& body, const serving::AnswerRequest& request,
                       const std::string& path, const std::string& name_path);

/// That of `kind` ("tool", "custom tool") none has the name.
[[noreturn]] void refuse_unknown_tool(const std::string& path, std::string_view kind,
                                      const std::string& name);

}  // namespace pleiad::api
