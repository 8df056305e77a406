#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::ollama {

/// Ollama's messages in the form of OpenAI's, which the engine reads: thinking becomes
/// reasoning, tool_name the name, calls get their type, documents and images stand before the text.
/// `key` names the field. Throws RequestError; unknown fields are named in `warnings`. Empty where
/// it is absent. `media` is null where no media can be taken.
Json read_messages(FieldReader& request, std::string_view key, MediaReader* media,
                   std::vector<std::string>& warnings);

/// Adds the tools to the request's, checked as far as this API's form goes. Fields that nobody
/// knows are noted: a schema under another name than "parameters" is none.
void read_tools(FieldReader& fields, serving::AnswerRequest& request, RequestNotes& notes);

/// The parts of a message for its `documents` (objects with `data`, which is base64, a data: URI or
/// a URL) and for its `images` (texts of these forms, and documents that keep their place among
/// them), in this order. Refused where `media` is null and there are some. Every unknown field is
/// named in `warnings`.
Json read_media(FieldReader& fields, MediaReader* media, std::vector<std::string>& warnings);

/// Adds what was found in one `place`, twenty at most: the last then says how many more there were.
void add_some(std::vector<std::string>& warnings, std::vector<std::string> found,
              std::string_view place);

/// Refuses `audio` that is not empty.
void refuse_audio_in(FieldReader& fields);

}  // namespace pleiad::api::ollama
