#pragma once

#include "api/anthropic/citations/cited_sources.h"
#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::anthropic {

/// `system` and `messages` with their blocks, in the form that AnswerRequest takes.
/// Throws RequestError.
Json read_messages(FieldReader& body, MediaReader& media, CitedSources& sources,
                   RequestNotes& notes);

}  // namespace pleiad::api::anthropic
