#pragma once

#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// "image_url" (chat completions) and "input_image" (responses): both are understood in both.
bool is_picture_part(std::string_view type);

/// Reads {"type": "image_url", "image_url": {"url", "detail"}} or {"type": "input_image",
/// "image_url": "...", "detail"}. `detail` says how many soft tokens the picture may take: "low"
/// the fewest, "high" the most, "auto" what it would without; a max_soft_tokens of the part's own
/// goes before. `path` is the part's.
Json read_picture(FieldReader& part, const std::string& path, MediaReader& media,
                  RequestNotes& notes);

/// The same, not decoded yet: as an item of a conversation that is kept, and that read_picture
/// takes.
Json keep_picture(FieldReader& part, RequestNotes& notes);

}  // namespace pleiad::api::openai
