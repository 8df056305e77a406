#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "constrain/replies/grammar.h"
#include "constrain/replies/reply_form.h"
#include "constrain/schema/context.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {

/// The grammar of replies whose content is JSON. `format` is "json", which is any object
/// (as with Ollama and OpenAI's json_object), or a JSON schema; see SchemaCompiler for
/// what is understood. A Failure names the place, which `where` begins:
/// "format.properties.age.minimum: ...". A parser of the reply has to count control tokens only,
/// not tags that are spelled (ReplyOptions::spelled_tags): strings may hold any text. So it is with
/// calls.
Result<std::shared_ptr<Grammar>> make_json_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& format, Start start,
                                                   const SchemaPolicy& policy = {},
                                                   const std::string& where = "format");

}  // namespace pleiad::constrain
