#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "constrain/replies/grammar.h"
#include "constrain/replies/reply_form.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {

/// Where the schema of a tool stands in the request, of those that are told; else
/// tools[0].function.parameters and so on.
std::string path_of_tool(std::span<const std::string> paths, std::size_t tool);

/// Which tools a reply has to call.
struct ToolPolicy {
  std::optional<std::string> name = {};  // this one; else whichever it likes
  bool parallel = false;                 // or several times, one call behind the other
  bool must_call = true;                 // false: it may be text, calls, or both
  bool any_order = false;                // of keys; false: the alphabetical one
  /// Where the schemas of the tools stand in the request, for messages; empty:
  /// tools[0].function.parameters and so on.
  std::vector<std::string> paths = {};

  std::string path_of(std::size_t tool) const;
};

/// The grammar of replies that call tools, in Gemma's syntax; of one call where none is demanded
/// (see OpenReply). `tools` are declarations in OpenAI's form, as text::declare_tool takes them.
///
/// Arguments are an object that obeys "parameters", keys in alphabetical order, as the templates
/// teach, unless the policy leaves it open; without "parameters", or where these are {}, there are
/// none. What of a schema cannot be enforced is left out and told by Grammar::unenforced(); where
/// the declaration says "strict": true, it is a Failure that names the keyword.
Result<std::shared_ptr<Grammar>> make_tool_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& tools, const ToolPolicy& policy,
                                                   Start start);

/// Whether what a tool grammar left out (Grammar::unenforced()) says that no other try of a call
/// would be better: the arguments of the tool are held to nothing of its schema, which stands at
/// the path `where` of the request, or nothing is valid under the whole of it.
bool is_beyond_help(std::span<const std::string> unenforced, std::string_view where);

}  // namespace pleiad::constrain
