#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/json.h"

namespace pleiad::apps {

/// What --format and /set format name as ChatState::format has it: "json" is any JSON object,
/// "none" any text (null), `{...}` a JSON schema, "regex:..." a regular expression, all else a
/// file: of a grammar where its name ends in .gbnf or .lark, or "gbnf:" or "lark:" stands before
/// it, else of a JSON schema. "~/" is the home folder. Throws Error that names what is wrong.
/// Whether the schema is understood is seen with the next reply.
Json read_reply_format(std::string_view what, const std::filesystem::path& home);

/// The format for people: "any text", "JSON", "JSON of a schema", "as a grammar says".
std::string reply_format_text(const Json& format);

/// True for what ChatState::format may be.
bool is_reply_format(const Json& format);

}  // namespace pleiad::apps
