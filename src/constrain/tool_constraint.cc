#include "constrain/tool_constraint.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/json.h"
#include "constrain/schema/compiler.h"
#include "text/call_text.h"

namespace pleiad::constrain {
namespace {

using text::Tag;

constexpr std::uint32_t kMaxCalls = 32;
constexpr std::size_t kMaxTools = 1024;

struct Tool {
  std::string name;
  Json parameters;  // a schema, or null
  bool strict = false;
  std::string where;
  std::string why_free = {};  // not empty: any arguments, and why
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
    const Json* strict = find_member(*function, "strict");
    out.push_back({name->get<std::string>(), parameters ? *parameters : Json(),
                   strict && *strict == true, where + ".parameters"});
  }
  if (out.empty()) return Failure{fmt::format("tools: there is no \"{}\"", *policy.name)};
  return out;
}

/// Writes the calls of some tools; what is found out about a tool is kept with it.
class CallWriter {
 public:
  CallWriter(std::vector<Tool>& tools, const ToolPolicy& policy) : tools_(tools), policy_(policy) {}

  /// A Failure of a strict tool.
  Result<bool> write(Automaton& automaton) {
    notes_.clear();
    arguments_.clear();
    ValueWriter writer(automaton, Syntax::call);
    const StateId before = automaton.add_state();
    const StateId opened = automaton.add_state();
    const StateId closing = automaton.add_state();
    const StateId behind = automaton.add_state();
    automaton.add_edge(before, symbol_of(Tag::tool_call_open), opened);
    Symbols word;
    append(word, "call:");
    const StateId called = automaton.add_symbols(opened, word);
    for (Tool& tool : tools_) {
      const std::size_t n_before = automaton.n_states();
      const Result<Rule> arguments = arguments_of(tool, writer);
      if (!arguments) return Failure{arguments.message()};
      arguments_.push_back({arguments.value(), automaton.n_states() - n_before});
      Symbols name;
      append(name, tool.name);
      automaton.add_call(automaton.add_symbols(called, name), arguments.value(), closing);
    }
    automaton.add_edge(closing, symbol_of(Tag::tool_call_close), behind);
    automaton.set_final(behind);
    if (policy_.parallel) {
      automaton.add_edge(behind, Edge{.first = symbol_of(Tag::tool_call_open),
                                      .last = symbol_of(Tag::tool_call_open),
                                      .counts = true,
                                      .target = opened});
    }
    calls_ = {before, {.need = 0, .room = kMaxCalls - 1}};
    return true;
  }

  const Rule& calls() const { return calls_; }
  std::vector<std::string> take_notes() { return std::move(notes_); }

  /// Lets the tool that takes most states have any arguments; false where that is no help.
  bool free_largest() {
    std::optional<std::size_t> largest;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (tools_[i].strict || !tools_[i].why_free.empty()) continue;
      if (!largest || arguments_[i].n_states > arguments_[*largest].n_states) largest = i;
    }
    if (!largest) return false;
    tools_[*largest].why_free = "with the other tools it is too large";
    return true;
  }

  /// Tools that no arguments satisfy; a Failure where one is strict. True where there was one.
  Result<bool> free_impossible(const Automaton& automaton) {
    bool found = false;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      Tool& tool = tools_[i];
      if (automaton.height(arguments_[i].rule.start) < Automaton::kNever) continue;
      constexpr const char* kWhy = "no arguments can satisfy it";
      if (tool.strict) return Failure{fmt::format("{}: {}", tool.where, kWhy)};
      tool.why_free = kWhy;
      found = true;
    }
    return found;
  }

 private:
  struct Written {
    Rule rule;
    std::size_t n_states = 0;
  };

  Result<Rule> arguments_of(Tool& tool, ValueWriter& writer) {
    const Json& schema = tool.parameters;
    if (schema.is_null() || (schema.is_object() && schema.empty())) return writer.object({});
    if (tool.why_free.empty()) {
      const Json* type = find_member(schema, "type");
      if (!schema.is_object() || (type && *type != "object")) {
        tool.why_free = "expected a schema whose \"type\" is \"object\"";
      } else if (to_text(schema).size() > kMaxSchemaBytes) {
        tool.why_free = "the schema is larger than 256 KiB";
      }
      if (tool.strict && !tool.why_free.empty()) {
        return Failure{fmt::format("{}: {}", tool.where, tool.why_free)};
      }
    }
    if (tool.why_free.empty()) {
      SchemaPolicy policy;
      policy.order = PropertyOrder::sorted;
      policy.refuse_unenforced = tool.strict;
      SchemaCompiler compiler(writer, schema, tool.where, policy);
      const Result<Rule> rule = compiler.compile();
      for (const SchemaNote& note : compiler.notes()) {
        notes_.push_back(fmt::format("{}{}: {}", tool.where, note.place, note.why));
      }
      if (rule) return rule.value();
      if (tool.strict) {
        return Failure{
            fmt::format("{} (\"strict\" is true, so nothing may be left out)", rule.message())};
      }
      notes_.push_back(fmt::format("{}; its arguments are held to no schema", rule.message()));
      return writer.any_object();
    }
    notes_.push_back(
        fmt::format("{}: {}; its arguments are held to no schema", tool.where, tool.why_free));
    return writer.any_object();
  }

  std::vector<Tool>& tools_;
  const ToolPolicy& policy_;
  std::vector<Written> arguments_;  // of each tool
  std::vector<std::string> notes_;
  Rule calls_;
};

}  // namespace

Result<std::shared_ptr<Grammar>> make_tool_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& tools, const ToolPolicy& policy,
                                                   Start start) {
  for (const Tag tag : {Tag::tool_call_open, Tag::tool_call_close, Tag::quote}) {
    if (!trie->has(tag)) {
      return Failure{fmt::format("tools: the model's tokenizer has no \"{}\"", tag_text(tag))};
    }
  }
  Result<std::vector<Tool>> read = read_tools(tools, policy);
  if (!read) return Failure{read.message()};
  CallWriter writer(read.value(), policy);
  constexpr int kMostTries = 16;
  for (int tries = 1;; ++tries) {
    Automaton automaton;
    const Result<bool> written = writer.write(automaton);
    if (!written) return Failure{written.message()};
    const Result<bool> finished = finish_reply(automaton, writer.calls(), start, *trie, "tools");
    Result<bool> again = false;
    if (finished || automaton.n_states() < Automaton::kMaxStates) {
      again = writer.free_impossible(automaton);
      if (!again) return Failure{again.message()};
    } else {
      again = writer.free_largest();
    }
    if (again.value() && tries < kMostTries) continue;
    if (!finished) return Failure{finished.message()};
    return std::make_shared<Grammar>(std::move(trie), std::move(automaton), writer.take_notes());
  }
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
