#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "api/common/id_source.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// An item that is kept, by its id, or null.
using FindItem = std::function<Json(const std::string& id)>;

/// The items of a response's input, checked, each with an id: messages, calls of functions and
/// custom tools and their results, reasoning, summaries of compactions; references become what they
/// refer to. Of other servers' tools there may be none left. A string becomes one message of the
/// user's. Pictures stay as they were sent. `paths` gets where each item stands ("input[2]").
/// Throws RequestError.
Json read_items(const Json& input, const std::string& path, IdSource& ids, RequestNotes& notes,
                std::vector<std::string>& paths, const FindItem& find = {});

/// Items, of earlier turns and this one, as the messages of an AnswerRequest; empty
/// `instructions` are left out. `paths` are those of the last items, for errors. What is odd about
/// calls and their results is told in `notes`. Throws RequestError where a medium is none.
Json items_to_messages(const std::string& instructions, const Json& items,
                       std::span<const std::string> paths, MediaReader& media, RequestNotes& notes);

}  // namespace pleiad::api::openai
