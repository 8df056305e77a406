#pragma once

#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// "file" (chat completions) and "input_file" (responses): both are understood in both.
bool is_document_part(std::string_view type);

/// Reads {"type": "file", "file": {"file_data", "filename"}} or {"type": "input_file", "file_data"
/// or "file_url", "filename"}: a document, in base64 or as a data: URI. Beside it may stand what
/// read_document_fields() reads. `path` is the part's.
Json read_document(FieldReader& part, std::string_view type, const std::string& path,
                   MediaReader& media, RequestNotes& notes);

/// The same, not decoded yet: as an item of a conversation that is kept, and that read_document
/// takes.
Json keep_document(FieldReader& part, std::string_view type, RequestNotes& notes);

}  // namespace pleiad::api::openai
