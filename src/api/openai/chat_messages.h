#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// Which types of parts mean text: "text", "input_text", ...
using TextTypes = std::initializer_list<std::string_view>;

/// What becomes of a part that is a picture, sound or a video; `path` is the part's.
using ReadMedia = std::function<Json(FieldReader& part, const std::string& path)>;

/// A message's content, checked: null, a string, or a list of {"type": "text", "text"} and of what
/// `read_media` makes of media, which are refused where it is empty.
Json read_content(FieldReader& message, std::string_view key, TextTypes text_types,
                  RequestNotes& notes, const ReadMedia& read_media = {});

/// The messages of a chat completion in the form that AnswerRequest takes.
Json read_messages(FieldReader& body, MediaReader& media, RequestNotes& notes);

/// Arguments of an earlier call: an object, or a string that holds one.
Json read_arguments(FieldReader& call, std::string_view key);

}  // namespace pleiad::api::openai
