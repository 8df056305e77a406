#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace pleiad::api::openai {

/// {"id", "type": "compaction", "encrypted_content"}: a summary that stands for a conversation
/// before it. It is not encrypted, for it goes to whoever had the conversation: what comes from
/// elsewhere is told by a word before the text.
Json compaction_item(std::string id, std::string_view summary);

/// The summary in an encrypted_content of ours; empty where it is another server's.
std::optional<std::string> summary_of(std::string_view encrypted_content);

/// What the model is shown of it, as a message of the user's.
std::string shown_summary(std::string_view summary);

}  // namespace pleiad::api::openai
