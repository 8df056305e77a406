// Graders of structured replies: JSON under a schema, calls of tools.

#include <algorithm>

#include "base/ascii.h"
#include "base/text_format.h"
#include "constrain/schema_check.h"
#include "eval/graders.h"
#include "eval/reply_text.h"

namespace pleiad::eval::graders {
namespace {

/// Equal for somebody who reads: numbers by value, words without regard to case.
bool same_value(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a.get<double>() == b.get<double>();
  if (a.is_string() && b.is_string()) {
    return ascii_lower(a.get<std::string>()) == ascii_lower(b.get<std::string>());
  }
  if (a.is_array() && b.is_array()) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_value);
  }
  return a == b;
}

/// Empty where the arguments are right.
std::string wrong_arguments(const Json& found, const Json& expected,
                            const std::vector<std::string>& optional) {
  for (const auto& item : expected.items()) {
    if (!found.contains(item.key())) return fmt::format("without {}", item.key());
    if (!same_value(found[item.key()], item.value())) {
      return fmt::format("{} is {} instead of {}", item.key(),
                         printable(to_text(found[item.key()])), to_text(item.value()));
    }
  }
  for (const auto& item : found.items()) {
    const bool may = expected.contains(item.key()) ||
                     std::find(optional.begin(), optional.end(), item.key()) != optional.end();
    if (!may) return fmt::format("has {} as well", printable(item.key()));
  }
  return "";
}

}  // namespace

Grader matches_schema(Json schema, Json values_by_pointer) {
  return
      [schema = std::move(schema), values = std::move(values_by_pointer)](const ChatReply& reply) {
        const auto found = json_in(reply.reply.content);
        if (!found) {
          return Verdict::bad(fmt::format("no JSON: {}", printable(reply.reply.content, 60)));
        }
        if (!constrain::SchemaCheck(schema).valid(*found)) {
          return Verdict::bad(fmt::format("not of the schema: {}", printable(found->dump(), 60)));
        }
        for (const auto& item : values.items()) {
          const Json::json_pointer pointer(item.key());
          if (!found->contains(pointer) || !same_value(found->at(pointer), item.value())) {
            return Verdict::bad(fmt::format("{} is not {}", item.key(), to_text(item.value())));
          }
        }
        return Verdict::good();
      };
}

Grader calls(std::string_view tool, Json arguments, std::vector<std::string> optional) {
  return [tool = std::string(tool), arguments = std::move(arguments),
          optional = std::move(optional)](const ChatReply& reply) {
    const auto& found = reply.reply.tool_calls;
    if (found.empty()) {
      return Verdict::bad(fmt::format("no call: {}", printable(reply.reply.content, 60)));
    }
    const text::ReplyEvent& call = found.front();
    if (call.kind != text::ReplyEvent::Kind::tool_call) {
      return Verdict::bad(fmt::format("a broken call: {}", printable(call.problem)));
    }
    if (found.size() > 1) return Verdict::bad(fmt::format("{} calls", found.size()));
    if (call.name != tool) {
      return Verdict::bad(fmt::format("calls {} instead of {}", printable(call.name), tool));
    }
    const std::string wrong = wrong_arguments(call.arguments, arguments, optional);
    return wrong.empty() ? Verdict::good() : Verdict::bad(wrong);
  };
}

Grader argument_has_word(std::string_view argument, std::string_view word) {
  return [argument = std::string(argument), word = ascii_lower(word)](const ChatReply& reply) {
    const auto& found = reply.reply.tool_calls;
    if (found.empty()) return Verdict::bad("no call");
    const Json* value = find_member(found.front().arguments, argument);
    const std::string text = value && value->is_string() ? value->get<std::string>() : "";
    const std::vector<std::string> words = words_in(text);
    if (std::find(words.begin(), words.end(), word) != words.end()) return Verdict::good();
    return Verdict::bad(fmt::format("{} without {}: {}", argument, word, printable(text, 60)));
  };
}

Grader calls_nothing() {
  return [](const ChatReply& reply) {
    if (!reply.reply.tool_calls.empty()) {
      return Verdict::bad(
          fmt::format("calls {} without need", printable(reply.reply.tool_calls.front().name)));
    }
    return reply.reply.content.empty() ? Verdict::bad("says nothing") : Verdict::good();
  };
}

}  // namespace pleiad::eval::graders
