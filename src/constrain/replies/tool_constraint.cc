#include "constrain/replies/tool_constraint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "constrain/replies/satisfiable.h"
#include "constrain/schema/compiler.h"
#include "constrain/schema/leave_out.h"
#include "constrain/schema/parameter_path.h"
#include "text/call_text.h"

namespace pleiad::constrain {
namespace {

using text::Tag;

constexpr std::uint32_t kMaxCalls = 32;
constexpr std::size_t kMaxTools = 1024;
// Places of one tool's schema that are left out, so that the rest holds.
constexpr std::size_t kMostLeftOut = 16;

// How notes end: of one tool, or of all.
constexpr std::string_view kFreeArguments = "; its arguments are held to no schema";
constexpr std::string_view kFreeCalls = "; calls are held to no schema";

struct Tool {
  std::string name;
  Json parameters;  // a schema, or null; without what is left out
  bool strict = false;
  std::string where;
  std::string why_free = {};               // not empty: any arguments, and why; with `where`
  std::string odd_name = {};               // not empty: what is odd about it
  std::vector<std::string> left_out = {};  // of the parameters: where, and why
};

Result<std::vector<Tool>> read_tools(const Json& tools, const ToolPolicy& policy) {
  if (!tools.is_array() || tools.empty()) return Failure{"tools: expected a list of tools"};
  if (tools.size() > kMaxTools) {
    return Failure{fmt::format("tools: more than {} of them", kMaxTools)};
  }
  std::vector<Tool> out;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string path = policy.path_of(i);
    const Json* function = find_member(tools[i], "function");
    const Json* name = function ? find_member(*function, "name") : nullptr;
    const bool has_name = name && name->is_string() && *name != "";
    std::string odd_name;
    if (!has_name || !text::is_function_name(name->get<std::string>())) {
      odd_name = path.substr(0, path.rfind('.')) +
                 ".name: expected a name without blanks, quotes, brackets and , ; =";
      if (!has_name || policy.must_call) return Failure{odd_name};
    }
    if (policy.name && *policy.name != *name) continue;
    const Json* parameters = find_member(*function, "parameters");
    const Json* strict = find_member(*function, "strict");
    out.push_back({name->get<std::string>(), parameters ? *parameters : Json(),
                   strict && *strict == true, path});
    out.back().odd_name = std::move(odd_name);
  }
  if (out.empty()) return Failure{fmt::format("tools: there is no \"{}\"", *policy.name)};
  return out;
}

/// Writes the calls of some tools. Their schemas have one budget.
class CallWriter {
 public:
  CallWriter(std::vector<Tool>& tools, const ToolPolicy& policy) : tools_(tools), policy_(policy) {}

  /// The rule of calls; nothing where there is no room for it. A Failure of a strict tool.
  Result<std::optional<Rule>> write(Automaton& automaton) {
    const Result<bool> fits = write_all(automaton);
    if (!fits) return Failure{fits.message()};
    if (fits.value()) return std::optional(calls_);
    const Result<bool> chosen = free_largest();
    if (!chosen) return Failure{chosen.message()};
    automaton = Automaton();
    budget_ = SchemaBudget();  // of those alone that could be compiled
    const Result<bool> fits_now = write_all(automaton);
    if (!fits_now) return Failure{fits_now.message()};
    return fits_now.value() ? std::optional(calls_) : std::nullopt;
  }

  /// Of tools that no arguments satisfy, or only too deep ones: leaves out the parts that are to
  /// blame, unless they are strict. True where there were some: all has to be written again.
  bool leave_out_impossible(const Automaton& automaton) {
    if (!automaton.has_heights()) return false;
    SchemaBudget budget;  // to find what that is
    bool found = false;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      Tool& tool = tools_[i];
      if (tool.strict || automaton.height(arguments_[i].start) <= kMostHeight) continue;
      found |=
          make_satisfiable(tool.parameters, wanted_of(tool), budget, kMostLeftOut, tool.left_out);
    }
    return found;
  }

  /// Lets tools that no arguments satisfy, or only too deep ones, have any; a Failure where one is
  /// strict. True where there was one: the automaton has to be finished again. `uncounted` is of
  /// finish_reply().
  Result<bool> free_impossible(Automaton& automaton, const std::string& uncounted) {
    bool found = false;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const std::uint32_t height = automaton.height(arguments_[i].start);
      if (height <= kMostHeight) continue;
      const std::string why = fmt::format(
          "{}: {}", tools_[i].where,
          height >= Automaton::kNever
              ? "no arguments can satisfy it" + uncounted
              : fmt::format("its arguments are nested deeper than {} levels", kMostHeight));
      if (tools_[i].strict) {
        SchemaBudget budget;
        const auto part = impossible_part(tools_[i].parameters, wanted_of(tools_[i]), budget);
        return Failure{part ? of_strict(part->message()) : why};
      }
      written_[i].notes.push_back(held_to_nothing(why));
      automaton.add_choice(arguments_[i].start, any_arguments_);
      found = true;
    }
    return found;
  }

  /// What of their schemas is never written, though there are arguments.
  std::vector<std::string> unwritten(const Automaton& automaton) const {
    std::vector<std::string> out;
    SchemaBudget budget;  // to find what that is
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      const UsedParts& used = written_[i].used;
      if (used.dead(automaton).empty() && !used.unlisted(automaton)) continue;
      const auto parts = unwritten_parts(tools_[i].parameters, wanted_of(tools_[i]), budget);
      out.insert(out.end(), parts.begin(), parts.end());
    }
    if (budget.ran_out()) {
      out.push_back(
          "tools: which parts of their schemas are never written takes too many steps to find out "
          "for all of them");
    }
    return out;
  }

  std::vector<std::string> take_notes() {
    for (std::size_t i = 0; i < written_.size(); ++i) {
      for (const auto* notes : {&tools_[i].left_out, &written_[i].notes}) {
        notes_.insert(notes_.end(), notes->begin(), notes->end());
      }
    }
    return std::move(notes_);
  }

 private:
  /// For finish_reply().
  static constexpr std::size_t kMostStates = Automaton::kMaxStates - 100;
  /// How deep a call's arguments are called themselves.
  static constexpr std::uint32_t kFrameDepth = 2;
  static constexpr std::uint32_t kMostHeight = Automaton::kMaxDepth - kFrameDepth;
  static constexpr std::size_t kBytesPerStep = 16;

  /// The arguments of a tool.
  struct Written {
    Rule rule;
    std::size_t n_states = 0;
    std::vector<std::string> notes;
    std::optional<SchemaFault> fault;      // where it failed
    std::vector<SchemaFault> more_faults;  // and where, too
    UsedParts used;
  };

  /// False where there are too many states; written_ says how many each tool takes then.
  Result<bool> write_all(Automaton& automaton) {
    notes_.clear();
    arguments_.clear();
    written_.assign(tools_.size(), {});
    ValueWriter writer(automaton, Syntax::call);
    writer.any();  // what all share comes first
    writer.any_number(true);
    any_arguments_ = writer.any_object();
    write_frame(automaton);
    n_shared_ = automaton.n_states();
    if (n_shared_ > kMostStates) return false;
    for (Tool& tool : tools_) check_schema(tool);
    fits_ = true;
    // Half of the budget in equal shares first, so that no dear tool takes what a simple one needs.
    const bool is_only = tools_.size() == 1;
    const SchemaBudget share = budget_.part(is_only ? 1 : 2 * tools_.size());
    std::vector<std::size_t> dear;
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      const Result<bool> enough = write_arguments(i, writer, share, is_only);
      if (!enough) return Failure{enough.message()};
      if (!enough.value()) dear.push_back(i);
    }
    for (const std::size_t i : dear) {
      const SchemaBudget more = budget_.part(i == dear.back() ? 1 : 2);
      const Result<bool> enough = write_arguments(i, writer, more, true);
      if (!enough) return Failure{enough.message()};
    }
    for (std::size_t i = 0; fits_ && i < tools_.size(); ++i) {
      automaton.add_choice(arguments_[i].start, written_[i].rule);
    }
    return fits_;
  }

  /// All but the arguments.
  void write_frame(Automaton& automaton) {
    const StateId before = automaton.add_state();
    const StateId opened = automaton.add_state();
    const StateId closing = automaton.add_state();
    const StateId behind = automaton.add_state();
    automaton.add_edge(before, symbol_of(Tag::tool_call_open), opened);
    Symbols word;
    append(word, "call:");
    const StateId called = automaton.add_symbols(opened, word);
    for (const Tool& tool : tools_) {
      if (!tool.odd_name.empty()) {
        notes_.push_back(tool.odd_name + "; what calls it may not be read");
      }
      Symbols name;
      append(name, tool.name);
      arguments_.push_back({automaton.add_state()});
      automaton.add_call(automaton.add_symbols(called, name), arguments_.back(), closing);
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
  }

  /// Lets the tools that take most states have any arguments, so that the others have room.
  Result<bool> free_largest() {
    std::vector<std::size_t> order(written_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair(!tools_[i].strict, written_[i].n_states);  // strict ones first
    });
    std::size_t n_states = n_shared_;
    for (const std::size_t i : order) {
      Tool& tool = tools_[i];
      const std::size_t size = written_[i].n_states;
      if (n_states + size <= kMostStates) {
        n_states += size;
        continue;
      }
      tool.why_free =
          fmt::format("{}: {}it is too large: more than {} states are needed", tool.where,
                      size == kMostStates ? "" : "with the other tools ", Automaton::kMaxStates);
      if (tool.strict) return Failure{tool.why_free};
    }
    return true;
  }

  static std::string held_to_nothing(const std::string& why) {
    return why + std::string(kFreeArguments);
  }

  /// Writes them with a share of the budget. False where that was not enough, unless it `is_last`:
  /// nothing of the try is left then.
  Result<bool> write_arguments(std::size_t i, ValueWriter& writer, const SchemaBudget& share,
                               bool is_last) {
    constexpr std::size_t kMostShares = 2;  // for all that is left out of one tool
    Automaton& automaton = writer.automaton();
    Written& written = written_[i];
    std::size_t n_spent = 0;
    for (;;) {
      const std::size_t n_before = automaton.n_states();
      written = {};
      SchemaBudget budget = share;
      const Result<Rule> rule = arguments_of(tools_[i], writer, budget, written);
      budget_.pay_for(share, budget);
      const bool fits_here = !automaton.is_full() && automaton.n_states() <= kMostStates;
      const bool is_alone = n_before == n_shared_;
      written.n_states = fits_here ? automaton.n_states() - n_before : kMostStates;
      fits_ = fits_ && fits_here;
      if (!fits_) automaton.take_back(n_shared_);  // each is only measured
      if (!fits_here && !is_alone) continue;
      if (!fits_here) return true;
      if (!is_last && budget.ran_out()) {
        if (fits_) automaton.take_back(n_before);
        written = {};
        return false;
      }
      if (rule) {
        written.rule = rule.value();
        return true;
      }
      if (tools_[i].strict) return Failure{rule.message()};
      if (fits_) automaton.take_back(n_before);
      n_spent += share.left() - budget.left();
      const bool may_try =
          written.fault && !budget.ran_out() && n_spent <= kMostShares * share.left();
      if (may_try && leave_out_of(tools_[i], written, rule.message(), share)) continue;
      written.rule = any_arguments_;
      written.n_states = 0;
      written.notes.push_back(held_to_nothing(rule.message()));
      tools_[i].why_free = rule.message();
      return true;
    }
  }

  /// False where it cannot be left out, or too much is already.
  static bool leave_out_of(Tool& tool, const Written& written, const std::string& failure,
                           SchemaBudget budget) {
    constexpr const char* kLeftOut = "; this is left out, and the rest holds";
    if (tool.left_out.size() + written.more_faults.size() >= kMostLeftOut) return false;
    if (!leave_out(tool.parameters, *written.fault, budget)) return false;
    tool.left_out.push_back(failure + kLeftOut);
    const std::string why = failure.substr(leading_path(failure).size());
    for (const SchemaFault& fault : written.more_faults) {
      if (!leave_out(tool.parameters, fault, budget)) continue;
      const std::string step = fault.keyword.empty() ? "" : pointer_step(fault.keyword);
      tool.left_out.push_back(parameter_path(tool.where, fault.pointer + step) + why + kLeftOut);
    }
    return true;
  }

  /// A Failure where they are held to no schema, or where one is strict.
  Result<Rule> arguments_of(const Tool& tool, ValueWriter& writer, SchemaBudget& budget,
                            Written& written) const {
    const Json& schema = tool.parameters;
    if (takes_none(tool)) return writer.object({});
    if (!tool.why_free.empty()) return Failure{tool.why_free};
    const WantedValues wanted = wanted_of(tool);
    SchemaCompiler compiler(writer, schema, wanted.where, wanted.policy, budget);
    const Result<Rule> rule = compiler.compile(wanted.types);
    if (!rule && tool.strict) return Failure{of_strict(rule.message())};
    written.fault = compiler.fault();
    written.more_faults = compiler.more_faults();
    if (rule) written.used = compiler.used_parts();
    for (const SchemaNote& note : compiler.notes()) {
      written.notes.push_back(fmt::format("{}: {}", note.path, note.why));
    }
    return rule;
  }

  WantedValues wanted_of(const Tool& tool) const {
    SchemaPolicy policy;
    policy.order = policy_.any_order ? PropertyOrder::any : PropertyOrder::sorted;
    policy.refuse_unenforced = tool.strict;
    policy.refuse_overlaps = tool.strict;
    return {tool.where, policy, Syntax::call, kObject, kMostHeight};
  }

  static std::string of_strict(const std::string& why) {
    return why + " (\"strict\" is true, so nothing may be left out)";
  }

  static bool takes_none(const Tool& tool) {
    return tool.parameters.is_null() || (tool.parameters.is_object() && tool.parameters.empty());
  }

  /// A "type" that is none is told of where it is compiled.
  static bool may_name_objects(const Json& type) {
    if (type.is_array()) return std::ranges::any_of(type, may_name_objects);
    constexpr std::array<std::string_view, 6> kOthers = {"array",   "string",  "number",
                                                         "integer", "boolean", "null"};
    return !type.is_string() ||
           std::ranges::find(kOthers, type.get_ref<const std::string&>()) == kOthers.end();
  }

  /// What can be told of a tool's schema before it is compiled.
  void check_schema(Tool& tool) {
    if (takes_none(tool) || !tool.why_free.empty()) return;
    const Json* type = find_member(tool.parameters, "type");
    const auto free = [&](const char* why) {
      tool.why_free = fmt::format("{}: {}", tool.where, why);
    };
    const bool may_be_object = !type || may_name_objects(*type);
    if (!tool.parameters.is_object() || !may_be_object) {
      return free("expected a schema whose \"type\" is \"object\"");
    }
    const std::size_t n_bytes = to_text(tool.parameters).size();
    if (n_bytes > kMaxSchemaBytes) return free("the schema is larger than 256 KiB");
    if (!budget_.spend(n_bytes / kBytesPerStep)) {
      free("the schemas of all tools together are too large");
    }
  }

  std::vector<Tool>& tools_;
  const ToolPolicy& policy_;
  SchemaBudget budget_;
  std::vector<Rule> arguments_;   // of each tool: a choice
  std::vector<Written> written_;  // of each tool
  bool fits_ = true;
  std::size_t n_shared_ = 0;
  std::vector<std::string> notes_;  // of names
  Rule calls_;
  Rule any_arguments_;
};

using MadeGrammar = Result<std::shared_ptr<Grammar>>;

/// Calls of which only begin and end are known.
MadeGrammar make_free_grammar(std::shared_ptr<const TokenTrie> trie, Start start,
                              const std::string& why) {
  Automaton automaton;
  const StateId before = automaton.add_state();
  const StateId inside = automaton.add_state();
  const StateId behind = automaton.add_state();
  automaton.add_edge(before, symbol_of(Tag::tool_call_open), inside);
  automaton.add_edge(inside, Edge{.first = 0, .last = 0xFF, .target = inside});
  automaton.add_edge(inside, symbol_of(Tag::quote), inside);
  automaton.add_edge(inside, symbol_of(Tag::tool_call_close), behind);
  automaton.set_final(behind);
  const Result<bool> finished = finish_reply(automaton, {before}, start, *trie, "tools");
  if (!finished) return Failure{finished.message()};
  return std::make_shared<Grammar>(std::move(trie), std::move(automaton),
                                   std::vector{why + std::string(kFreeCalls)});
}

}  // namespace

std::string path_of_tool(std::span<const std::string> paths, std::size_t tool) {
  return tool < paths.size() ? paths[tool] : fmt::format("tools[{}].function.parameters", tool);
}

std::string ToolPolicy::path_of(std::size_t tool) const { return path_of_tool(paths, tool); }

Result<std::shared_ptr<Grammar>> make_tool_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& tools, const ToolPolicy& policy,
                                                   Start start) {
  for (const Tag tag : {Tag::tool_call_open, Tag::tool_call_close, Tag::quote}) {
    if (!trie->has(tag)) {
      return Failure{fmt::format("tools: the model's tokenizer has no \"{}\"", tag_text(tag))};
    }
  }
  Result<std::vector<Tool>> read = read_tools(tools, policy);
  if (!read) {
    if (policy.must_call) return Failure{read.message()};
    return make_free_grammar(std::move(trie), start, read.message());
  }
  for (bool is_first = true;; is_first = false) {
    CallWriter writer(read.value(), policy);
    Automaton automaton;
    const Result<std::optional<Rule>> calls = writer.write(automaton);
    if (!calls) return Failure{calls.message()};
    if (!calls.value()) {
      constexpr const char* kWhy = "tools: their names together are too long";
      if (policy.must_call) return Failure{kWhy};
      return make_free_grammar(std::move(trie), start, kWhy);
    }
    const Rule rule = *calls.value();
    std::string uncounted;
    Result<bool> finished = finish_reply(automaton, rule, start, *trie, "tools", &uncounted);
    if (is_first && writer.leave_out_impossible(automaton)) continue;
    const Result<bool> again = writer.free_impossible(automaton, uncounted);
    if (!again) return Failure{again.message()};
    // What was not counted, as no reply was possible, is on no way to an end of 60 levels.
    if (again.value()) finished = automaton.finish(automaton.start());
    if (!finished) return Failure{finished.message()};
    const std::vector<std::string> unwritten = writer.unwritten(automaton);
    auto grammar =
        std::make_shared<Grammar>(std::move(trie), std::move(automaton), writer.take_notes());
    for (const std::string& note : unwritten) grammar->add_note(note);
    return grammar;
  }
}

bool is_beyond_help(std::span<const std::string> unenforced, std::string_view where) {
  return std::ranges::any_of(unenforced, [where](std::string_view note) {
    if (note.ends_with(kFreeCalls)) return true;
    if (!note.starts_with(where) || note.size() == where.size()) return false;
    // Behind the path comes why, or what it leads to.
    const char next = note[where.size()];
    const bool is_of_tool = next == ':' || next == '.' || next == '[';
    return is_of_tool && (note.ends_with(kFreeArguments) || tells_of_no_value(note));
  });
}

}  // namespace pleiad::constrain
