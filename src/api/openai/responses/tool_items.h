#pragma once

#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/id_source.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// An item's own id, or a new one.
std::string item_id(FieldReader& item, std::string_view prefix, IdSource& ids);
void skip_status(FieldReader& item);

/// {"type": "custom_tool_call"}. Throws RequestError.
Json read_custom_call_item(FieldReader& item, IdSource& ids);

/// {"type": `type`}: what a function or a custom tool gave. Throws RequestError.
Json read_output_item(FieldReader& item, std::string_view type, IdSource& ids, RequestNotes& notes);

/// Whether items of this type tell what tools of other servers did: the models cannot be shown it.
bool is_of_other_tools(std::string_view type);

}  // namespace pleiad::api::openai
