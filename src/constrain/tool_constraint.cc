#include "constrain/tool_constraint.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/json.h"
#include "constrain/schema_compiler.h"
#include "text/call_text.h"

namespace pleiad::constrain {
namespace {

using text::Tag;

constexpr std::uint32_t kMaxCalls = 32;
constexpr std::size_t kMaxTools = 1024;

struct Tool {
  std::string name;
  Json parameters;  // a schema, or null
  std::string where;
};

Result<std::vector<Tool>> read_tools(const Json& tools, const ToolPolicy& policy) {
  if (!tools.is_array() || tools.empty()) return Failure{"tools: expected a list of tools"};
  if (tools.size() > kMaxTools) {
    return Failure{fmt::format("tools: more than {} of them", kMaxTools)};
  }
  std::vector<Tool> out;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string where = fmt::format("tools[{}].function", i);
    const Json* function = find_member(tools[i], "function");
    const Json* name = function ? find_member(*function, "name") : nullptr;
    if (!name || !name->is_string() || !text::is_function_name(name->get<std::string>())) {
      return Failure{where + ".name: expected a name without blanks, quotes and brackets"};
    }
    if (policy.name && *policy.name != *name) continue;
    const Json* parameters = find_member(*function, "parameters");
    out.push_back(
        {name->get<std::string>(), parameters ? *parameters : Json(), where + ".parameters"});
  }
  if (out.empty()) return Failure{fmt::format("tools: there is no \"{}\"", *policy.name)};
  return out;
}

/// Nothing to hold to is an empty object.
std::optional<Rule> arguments_rule(ValueWriter& writer, const Tool& tool) {
  const Json& schema = tool.parameters;
  if (schema.is_null() || (schema.is_object() && schema.empty())) return writer.object({});
  const Json* type = find_member(schema, "type");
  if (!schema.is_object() || (type && *type != "object") ||
      to_text(schema).size() > kMaxSchemaBytes) {
    return std::nullopt;
  }
  const Result<Rule> rule =
      SchemaCompiler(writer, schema, tool.where, PropertyOrder::sorted).compile();
  if (!rule) return std::nullopt;
  return rule.value();
}

/// `strictly` as the parameters say.
Result<bool> write_calls(Automaton& automaton, const std::vector<Tool>& tools, bool strictly,
                         const ToolPolicy& policy, const TokenTrie& trie, Start start) {
  ValueWriter writer(automaton, Syntax::call);
  const StateId before = automaton.add_state();
  const StateId opened = automaton.add_state();
  const StateId closing = automaton.add_state();
  const StateId behind = automaton.add_state();
  automaton.add_edge(before, symbol_of(Tag::tool_call_open), opened);
  Symbols word;
  append(word, "call:");
  const StateId called = automaton.add_symbols(opened, word);
  for (const Tool& tool : tools) {
    std::optional<Rule> arguments;
    if (strictly) arguments = arguments_rule(writer, tool);
    Symbols name;
    append(name, tool.name);
    automaton.add_call(automaton.add_symbols(called, name),
                       arguments ? *arguments : writer.any_object(), closing);
  }
  automaton.add_edge(closing, symbol_of(Tag::tool_call_close), behind);
  automaton.set_final(behind);
  if (policy.parallel) {
    automaton.add_edge(behind, Edge{.first = symbol_of(Tag::tool_call_open),
                                    .last = symbol_of(Tag::tool_call_open),
                                    .counts = true,
                                    .target = opened});
  }
  const Rule calls{before, {.need = 0, .room = kMaxCalls - 1}};
  return finish_reply(automaton, calls, start, trie, "tools");
}

}  // namespace

Result<std::shared_ptr<Grammar>> make_tool_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& tools, const ToolPolicy& policy,
                                                   Start start) {
  for (const Tag tag : {Tag::tool_call_open, Tag::tool_call_close, Tag::quote}) {
    if (!trie->has(tag)) {
      return Failure{fmt::format("tools: the model's tokenizer has no \"{}\"", tag_text(tag))};
    }
  }
  const Result<std::vector<Tool>> read = read_tools(tools, policy);
  if (!read) return Failure{read.message()};
  Automaton automaton;
  const Result<bool> strict = write_calls(automaton, read.value(), true, policy, *trie, start);
  if (!strict) {
    automaton = Automaton();
    const Result<bool> loose = write_calls(automaton, read.value(), false, policy, *trie, start);
    if (!loose) return Failure{loose.message()};
  }
  return std::make_shared<Grammar>(std::move(trie), std::move(automaton));
}

Result<std::unique_ptr<sampling::TokenConstraint>> make_tool_constraint(
    std::shared_ptr<const TokenTrie> trie, const Json& tools, const ToolPolicy& policy,
    Start start) {
  Result<std::shared_ptr<Grammar>> grammar =
      make_tool_grammar(std::move(trie), tools, policy, start);
  if (!grammar) return Failure{grammar.message()};
  auto begun = begin_reply(std::move(grammar).value());
  if (!begun) return Failure{begun.message()};
  return std::unique_ptr<sampling::TokenConstraint>(std::move(begun).value());
}

}  // namespace pleiad::constrain
