#pragma once

#include <string>

#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::anthropic {

/// {"type": "image", "source": {...}} as the part of a message that stands for it. `path` is the
/// block's.
Json read_image(FieldReader& block, const std::string& path, MediaReader& media,
                RequestNotes& notes);

/// Whether a document's source is a file, in base64 or at a URL, and not text.
bool is_file(FieldReader& document);
/// The same of {"type": "document", "title", "source": {...}}, of which is_file() is true, or whose
/// source is a file that is kept elsewhere. What else stands in the block is left to the caller.
Json read_document_file(FieldReader& block, const std::string& path, MediaReader& media,
                        RequestNotes& notes);

}  // namespace pleiad::api::anthropic
