#include "constrain/replies/call_check.h"

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "base/text_format.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/schema/compiler.h"
#include "constrain/schema/validity.h"

namespace pleiad::constrain {
namespace {

/// Some milliseconds: whoever asks is the engine's thread.
constexpr std::size_t kMostSteps = 50'000;
constexpr std::size_t kMostPatternWork = kPatternWork / 50;

/// Whether its text has more bytes than `left`, as far as that is known without writing it.
bool is_larger(const Json& json, std::size_t& left) {
  const auto spend = [&left](std::size_t n) {
    if (n > left) return false;
    left -= n;
    return true;
  };
  if (json.is_string()) return !spend(json.get_ref<const std::string&>().size() + 1);
  if (!spend(1)) return true;
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      if (!spend(key.size()) || is_larger(value, left)) return true;
    }
  } else if (json.is_array()) {
    for (const Json& value : json) {
      if (is_larger(value, left)) return true;
    }
  }
  return false;
}

bool may_hold(const Json& schema, const Json& arguments) {
  try {
    std::size_t left = kMaxSchemaBytes;
    if (is_larger(schema, left)) return true;
    SchemaBudget budget(kMostSteps, kMostPatternWork);
    SchemaContext context(schema, Syntax::json, "", {}, budget);
    const Verdict verdict = Validity(context).of(schema, arguments);
    return verdict != Verdict::no || context.failed();
  } catch (const std::exception&) {
    return true;  // the schema is none: that was told when it was read
  }
}

}  // namespace

std::optional<CallProblem> call_problem(const Json& tools, std::span<const std::string> paths,
                                        const text::ReplyEvent& call) {
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const Json* function = find_member(tools[i], "function");
    const Json* name = function ? find_member(*function, "name") : nullptr;
    if (!name || *name != call.name) continue;
    const Json* schema = find_member(*function, "parameters");
    if (!schema || may_hold(*schema, call.arguments)) return std::nullopt;
    std::string path = path_of_tool(paths, i);
    std::string message = fmt::format("{}: the arguments of a call are not valid under it: {}",
                                      path, printable(to_text(call.arguments)));
    return CallProblem{std::move(path), std::move(message)};
  }
  return std::nullopt;
}

}  // namespace pleiad::constrain
