// Any schema or list of tools, and bytes that choose among what is allowed: nothing hangs,
// something is always allowed, as is what is forced, and a reply that comes to its end is JSON, or
// calls. The schema ends at the first zero byte; the bits of the byte behind it say how it is read.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "text/stream_decoder.h"
#include "text/testing/piece_vocabulary.h"
#include "text/tokenizer.h"

namespace {

using namespace pleiad;

/// With pieces that span several parts of JSON.
struct Tokens {
  text::PieceVocabulary vocabulary{{"{\"", "\":", "\":{\"", "\"}", "}]", "\",\"", "[[", "]]", "12",
                                    "true", "abcabcabc", "\xE2\x96\x81\"",
                                    "\n\xE2\x96\x81\xE2\x96\x81\""}};
  text::TokenId end = vocabulary.tag(text::Tag::turn_close);
  text::Tokenizer tokenizer{vocabulary.spec()};
  std::shared_ptr<const constrain::TokenTrie> trie =
      std::make_shared<constrain::TokenTrie>(tokenizer, std::vector{end});
};

/// The allowed token that `choice` falls on.
text::TokenId choose(const std::vector<std::uint64_t>& allowed, std::uint8_t choice) {
  std::vector<text::TokenId> tokens;
  for (std::size_t i = 0; i < allowed.size() * 64; ++i) {
    if ((allowed[i / 64] >> (i % 64) & 1) != 0) tokens.push_back(static_cast<text::TokenId>(i));
  }
  CHECK(!tokens.empty());
  return tokens[choice % tokens.size()];
}

/// How a schema is read.
enum Reading : std::uint8_t {
  kTolerant = 1,
  kOpenObjects = 2,
  kAllTypes = 4,
  kAsTools = 8,
  kStrict = 16,
  kParallel = 32,  // of tools; else properties come in any order
  kTwice = 64,
  kNoOverlaps = 128,  // of tools: properties come in any order
};

/// The grammar of calls: of the tools that the text lists, or of tools that have it as parameters.
Result<std::shared_ptr<constrain::Grammar>> make_tools(const Tokens& tokens, const Json& schema,
                                                       unsigned reading) {
  Json tools = schema;
  if (!schema.is_array()) {
    const auto tool = [&](const char* name, bool strict) {
      return Json{{"function", {{"name", name}, {"parameters", schema}, {"strict", strict}}}};
    };
    tools = Json::array();
    tools.push_back(tool("f", (reading & kStrict) != 0));
    if ((reading & kTwice) != 0) tools.push_back(tool("g", false));
  }
  return constrain::make_tool_grammar(tokens.trie, tools,
                                      {.name = {},
                                       .parallel = (reading & kParallel) != 0,
                                       .must_call = true,
                                       .any_order = (reading & kNoOverlaps) != 0},
                                      constrain::Start::at_once);
}

Result<std::shared_ptr<constrain::Grammar>> make_form(const Tokens& tokens, const Json& schema,
                                                      unsigned reading) {
  constrain::SchemaPolicy policy;
  policy.refuse_unenforced = (reading & kTolerant) == 0;
  policy.closed_objects = (reading & kOpenObjects) == 0;
  policy.implied_types = (reading & kAllTypes) == 0;
  policy.refuse_overlaps = (reading & kNoOverlaps) != 0;
  if ((reading & kParallel) != 0) policy.order = constrain::PropertyOrder::any;
  return constrain::make_json_grammar(tokens.trie, schema, constrain::Start::at_once, policy);
}

/// A reply of which each choice picks a token that is allowed; where it ends by itself it is JSON,
/// or begins and ends as a call does.
void write_reply(const Tokens& tokens, constrain::GrammarConstraint& constraint,
                 std::span<const std::uint8_t> choices, bool calls) {
  std::vector<std::uint64_t> allowed((tokens.vocabulary.size() + 63) / 64);
  std::string reply;
  for (const std::uint8_t choice : choices) {
    constraint.allowed_next(allowed);
    const auto forced = [&]() noexcept { return constraint.forced_next(8); }();
    CHECK(forced.empty() || (allowed[static_cast<std::size_t>(forced[0]) / 64] >>
                                 (static_cast<std::size_t>(forced[0]) % 64) &
                             1) != 0);
    const text::TokenId token = choose(allowed, choice);
    constraint.accept(token);
    if (token == tokens.end && calls) {
      CHECK(reply.starts_with("call:"), "{}", reply);
      break;
    }
    if (token == tokens.end) {
      CHECK(Json::accept(reply), "{}", reply);
      break;
    }
    if (tokens.vocabulary->tag_of(token)) continue;
    append_piece_bytes(*tokens.vocabulary, token, reply);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tokens tokens;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t length = std::min(text.find('\0'), text.size());
  Json schema;
  try {
    schema = parse_json(text.substr(0, length), "schema");
  } catch (const Error&) {
    return 0;
  }
  std::span<const std::uint8_t> choices(data + length, std::min(size - length, std::size_t{500}));
  const unsigned reading = choices.size() > 1 ? choices[1] : 0;
  const bool calls = schema.is_array() || (reading & kAsTools) != 0;
  Result<std::shared_ptr<constrain::Grammar>> grammar =
      calls ? make_tools(tokens, schema, reading) : make_form(tokens, schema, reading);
  if (!grammar) return 0;
  auto constraint = constrain::begin_reply(grammar.value());
  if (!constraint) return 0;
  try {
    write_reply(tokens, *constraint.value(), choices, calls);
  } catch (const sampling::ConstraintError&) {
    // More ways than are followed.
  }
  return 0;
}
