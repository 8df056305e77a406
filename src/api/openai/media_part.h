#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// Whether a part of this type brings something else than text: a picture (picture_part.h), sound
/// or a video (stream_part.h), a document (document_part.h).
bool is_media_part(std::string_view type);

/// What stands for it in AnswerRequest::messages. `path` is the part's.
Json read_media_part(FieldReader& part, const std::string& path, MediaReader& media,
                     RequestNotes& notes);

/// The same, not decoded yet: as an item of a conversation that is kept, and that
/// read_media_part takes.
Json keep_media_part(FieldReader& part, RequestNotes& notes);

/// Bytes of the media that an item of a conversation holds.
std::size_t media_bytes(const Json& item);

}  // namespace pleiad::api::openai
