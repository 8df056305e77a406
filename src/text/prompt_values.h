#pragma once

#include "base/json.h"
#include "text/prompt.h"

namespace pleiad::text {

enum class KeyStyle { bare, quoted };

/// Text between two quote tokens, not escaped.
void add_quoted(Prompt& prompt, std::string_view text);

/// A JSON value in Gemma's notation: quoted text, true, null, 1.5, {k:v}, [v].
/// Keys are sorted; they are bare in calls and responses, quoted in schemas.
void add_value(Prompt& prompt, const Json& value, KeyStyle keys);

/// {k:v,...} without the braces, keys bare.
void add_entries(Prompt& prompt, const Json& object);

}  // namespace pleiad::text
