#include "constrain/replies/reply_forms.h"

#include <fmt/format.h>

#include <utility>

#include "constrain/grammars/text_grammar.h"
#include "constrain/replies/either_reply.h"
#include "constrain/replies/open_reply.h"
#include "constrain/replies/vacuous_schemas.h"

namespace pleiad::constrain {
namespace {

/// Of real schemas most take less than one.
constexpr std::size_t kMostKeptBytes = 256U << 20;

}  // namespace

ReplyForms::ReplyForms(const text::Vocabulary& vocabulary,
                       std::span<const text::TokenId> end_tokens)
    : ReplyForms(vocabulary, end_tokens, kMostKeptBytes) {}

ReplyForms::ReplyForms(const text::Tokenizer& tokenizer, std::span<const text::TokenId> end_tokens)
    : trie_(std::make_shared<TokenTrie>(tokenizer, end_tokens)),
      kept_(kMostKeptBytes),
      grammars_(trie_, kMostKeptBytes) {}

ReplyForms::ReplyForms(const text::Vocabulary& vocabulary,
                       std::span<const text::TokenId> end_tokens, std::size_t most_bytes)
    : trie_(std::make_shared<TokenTrie>(vocabulary, end_tokens)),
      kept_(most_bytes),
      grammars_(trie_, most_bytes) {}

namespace {

KeptForms<Grammar>::Made told(KeptForms<Grammar>::Made made, std::vector<std::string>* warnings) {
  if (made && warnings) {
    for (const auto* told : {&made.value()->notes(), &made.value()->unenforced()}) {
      warnings->insert(warnings->end(), told->begin(), told->end());
    }
  }
  return made;
}

/// With a note on each part of a schema that says nothing.
KeptForms<Grammar>::Made noted(KeptForms<Grammar>::Made made, const Json& schema,
                               const std::string& where) {
  if (!made || !schema.is_object()) return made;
  for (std::string& note : notes_on_vacuous_schemas(schema, where)) {
    made.value()->add_note(std::move(note));
  }
  return made;
}

/// The same of the schemas of tools, where one may be called alone, of its.
KeptForms<Grammar>::Made noted_tools(KeptForms<Grammar>::Made made, const Json& tools,
                                     const ToolPolicy& policy) {
  if (!made) return made;
  std::size_t left = kMostVacuousNotes;
  for (std::size_t i = 0; i < tools.size() && left > 0; ++i) {
    const Json* function = find_member(tools[i], "function");
    const Json* name = function ? find_member(*function, "name") : nullptr;
    const Json* parameters = function ? find_member(*function, "parameters") : nullptr;
    const bool may_be_called = !policy.name || (name && *name == *policy.name);
    if (!parameters || !parameters->is_object() || !may_be_called) continue;
    for (std::string& note :
         notes_on_vacuous_schemas(*parameters, policy.path_of(i), left, "any arguments are")) {
      made.value()->add_note(std::move(note));
      --left;
    }
  }
  return made;
}

/// A Failure begins with the form's place in the request.
Result<std::unique_ptr<GrammarConstraint>> begin_at(const std::string& where,
                                                    std::shared_ptr<Grammar> grammar) {
  auto begun = begin_reply(std::move(grammar));
  if (!begun) return Failure{fmt::format("{}: {}", where, begun.message())};
  return begun;
}

}  // namespace

ReplyForms::Constraint ReplyForms::json(std::uint64_t scope, const Json& format, Start start,
                                        std::string_view begun, std::vector<std::string>* warnings,
                                        const std::string& where, bool any_order) {
  if (grammars::is_text_grammar(format)) {
    return grammars_.reply(scope, format, start, begun, warnings, where);
  }
  Made grammar = json_grammar(scope, format, start, where, any_order, warnings);
  if (!grammar) return Failure{grammar.message()};
  auto made = begin_at(where, std::move(grammar).value());
  if (!made) return Failure{made.message()};
  try {
    if (!made.value()->begin_with(begun)) {
      return Failure{where +
                     ": no text of this format begins as the last message of the assistant's does"};
    }
  } catch (const sampling::ConstraintError& error) {
    return Failure{fmt::format("{}: {}", where, error.what())};
  }
  return std::unique_ptr<sampling::TokenConstraint>(std::move(made).value());
}

ReplyForms::Constraint ReplyForms::tools(std::uint64_t scope, const Json& tools,
                                         const ToolPolicy& policy, Start start,
                                         std::vector<std::string>* warnings) {
  // What comes before a call is free where none is demanded.
  if (!policy.must_call) start = Start::at_once;
  Made grammar = tool_grammar(scope, tools, policy, start, warnings);
  if (!grammar) return Failure{grammar.message()};
  if (!policy.must_call) {
    return std::unique_ptr<sampling::TokenConstraint>(
        std::make_unique<OpenReply>(std::move(grammar).value()));
  }
  auto made = begin_at("tools", std::move(grammar).value());
  if (!made) return Failure{made.message()};
  return std::unique_ptr<sampling::TokenConstraint>(std::move(made).value());
}

ReplyForms::Constraint ReplyForms::tools_or_json(std::uint64_t scope, const Json& tools,
                                                 const ToolPolicy& policy, const Json& format,
                                                 Start start, std::vector<std::string>* warnings,
                                                 const std::string& where) {
  Made content = json_grammar(scope, format, start, where, policy.any_order, warnings);
  if (!content) return Failure{content.message()};
  Made calls = tool_grammar(scope, tools, policy, start, warnings);
  if (!calls) return Failure{calls.message()};
  auto content_begun = begin_at(where, std::move(content).value());
  if (!content_begun) return Failure{content_begun.message()};
  auto calls_begun = begin_at("tools", std::move(calls).value());
  if (!calls_begun) return Failure{calls_begun.message()};
  return std::unique_ptr<sampling::TokenConstraint>(std::make_unique<EitherReply>(
      std::move(content_begun).value(), std::move(calls_begun).value()));
}

ReplyForms::Made ReplyForms::json_grammar(std::uint64_t scope, const Json& format, Start start,
                                          const std::string& where, bool any_order,
                                          std::vector<std::string>* warnings) {
  SchemaPolicy policy;
  if (any_order) policy.order = PropertyOrder::any;
  return told(kept_.find_or_make(fmt::format("{} json {} {} {} {}", scope, static_cast<int>(start),
                                             any_order, where, to_text(format)),
                                 [&] {
                                   return noted(
                                       make_json_grammar(trie_, format, start, policy, where),
                                       format, where);
                                 }),
              warnings);
}

ReplyForms::Made ReplyForms::tool_grammar(std::uint64_t scope, const Json& tools,
                                          const ToolPolicy& policy, Start start,
                                          std::vector<std::string>* warnings) {
  std::string key = fmt::format("{} tools {} {} {} {} {} {} {}", scope, static_cast<int>(start),
                                policy.parallel, policy.must_call, policy.any_order,
                                policy.name ? to_text(Json(*policy.name)) : "any",
                                to_text(Json(policy.paths)), to_text(tools));
  const auto make = [&] {
    return noted_tools(make_tool_grammar(trie_, tools, policy, start), tools, policy);
  };
  return told(kept_.find_or_make(std::move(key), make), warnings);
}

}  // namespace pleiad::constrain
