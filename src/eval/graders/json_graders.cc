// Graders of structured replies: JSON under a schema, calls of tools.

#include <algorithm>

#include "base/ascii.h"
#include "base/text_format.h"
#include "constrain/schema_check.h"
#include "eval/graders/graders.h"
#include "eval/graders/json_pattern.h"
#include "eval/graders/reply_text.h"

namespace pleiad::eval::graders {
namespace {

/// Words that a key or a question consists of, without the s of several: "letterCount" has
/// "letter" and "count".
std::vector<std::string> words_of_name(std::string_view name) {
  std::string parted;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z' && !parted.empty() && parted.back() >= 'a') parted += ' ';
    parted += c == '_' ? ' ' : c;
  }
  std::vector<std::string> words = words_in(parted);
  for (std::string& word : words) {
    if (word.size() > 3 && word.ends_with('s')) word.pop_back();
  }
  return words;
}

bool have_common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& word) {
    return std::find(b.begin(), b.end(), word) != b.end();
  });
}

/// What the values of an object answer.
class ObjectReader {
 public:
  ObjectReader(const AnswerReader& read, const std::vector<std::string>& asked)
      : read_(read), asked_(asked) {}

  Answer read(const Json& object) {
    visit(object, false);
    return names_answer_ ? named_ : all_;
  }

 private:
  void visit(const Json& value, bool is_named) {
    if (value.is_object()) {
      for (const auto& item : value.items()) {
        const std::vector<std::string> words = words_of_name(item.key());
        const bool names = have_common(words, asked_);
        names_answer_ = names_answer_ || names;
        if (!have_common(words, {"not", "wrong", "incorrect", "false", "question"})) {
          visit(item.value(), is_named || names);
        }
      }
    } else if (value.is_array()) {
      for (const Json& part : value) visit(part, is_named);
    } else if (value.is_string() || value.is_number()) {
      const Answer answer = read_(value.is_string() ? value.get<std::string>() : to_text(value));
      add(all_, answer);
      if (is_named) add(named_, answer);
    }
  }

  static void add(Answer& sum, const Answer& part) {
    if (sum.kind == Answer::Kind::nothing || part.kind == Answer::Kind::other) sum = part;
  }

  const AnswerReader& read_;
  const std::vector<std::string>& asked_;
  bool names_answer_ = false;
  Answer named_;  // of keys that name what is asked
  Answer all_;
};

/// Empty where the arguments are right.
std::string wrong_arguments(const Json& found, const Json& expected,
                            const std::vector<std::string>& optional) {
  for (const auto& item : expected.items()) {
    if (!found.contains(item.key())) return fmt::format("without {}", item.key());
    if (!matches_pattern(found[item.key()], item.value())) {
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

/// "get_time(", "{"name": "get_time"": a call that is text.
bool has_call_text(std::string_view text) {
  constexpr std::string_view kMarks[] = {"<tool_call", "<|tool_call", "```tool", "\"arguments\""};
  for (const std::string_view mark : kMarks) {
    if (text.find(mark) != std::string_view::npos) return true;
  }
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    const bool is_name = at > 0 && text[at - 1] >= 'a' && text[at - 1] <= 'z' && end > at + 1;
    if (is_name && end < text.size() && (text[end] == '(' || text[end] == '{')) return true;
  }
  return false;
}

}  // namespace

Grader answers_in_json(AnswerReader read, std::string_view question, std::string_view expected) {
  std::vector<std::string> asked = words_of_name(question);
  std::erase_if(asked, [](const std::string& word) {
    return have_common({word}, {"what", "is", "the", "how", "many", "has", "in", "json", "answer",
                                "word"}) ||
           word.front() <= '9';
  });
  for (const std::string_view key : {"answer", "result", "sum", "total", "difference", "solution",
                                     "output", "count", "reversed"}) {
    asked.emplace_back(key);
  }
  return [read = std::move(read), asked = std::move(asked),
          expected = std::string(expected)](const ChatReply& reply) {
    const auto value = json_in(reply.reply.content);
    if (!value) return Verdict::bad(fmt::format("no JSON: {}", printable(reply.reply.content, 60)));
    if (!value->is_object()) {
      return Verdict::bad(fmt::format("no object: {}", printable(to_text(*value), 60)));
    }
    const Answer answer = ObjectReader(read, asked).read(*value);
    if (answer.kind == Answer::Kind::right) return Verdict::good();
    return Verdict::bad(fmt::format("expected an object with {}, found {}", expected,
                                    printable(to_text(*value), 60)));
  };
}

Grader matches_schema(Json schema, Json patterns_by_pointer) {
  return [schema = std::move(schema),
          values = std::move(patterns_by_pointer)](const ChatReply& reply) {
    const auto found = json_in(reply.reply.content);
    if (!found) {
      return Verdict::bad(fmt::format("no JSON: {}", printable(reply.reply.content, 60)));
    }
    if (!constrain::SchemaCheck(schema).valid(*found)) {
      return Verdict::bad(fmt::format("not of the schema: {}", printable(found->dump(), 60)));
    }
    for (const auto& item : values.items()) {
      const Json::json_pointer pointer(item.key());
      if (!found->contains(pointer) || !matches_pattern(found->at(pointer), item.value())) {
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

Grader calls_as_declared(Json tools) {
  return [tools = std::move(tools)](const ChatReply& reply) {
    for (const text::ReplyEvent& call : reply.reply.tool_calls) {
      const auto tool = std::find_if(tools.begin(), tools.end(), [&](const Json& declared) {
        return declared["function"]["name"].get<std::string>() == call.name;
      });
      if (tool == tools.end()) {
        return Verdict::bad(fmt::format("there is no tool {}", printable(call.name)));
      }
      if (!constrain::SchemaCheck((*tool)["function"]["parameters"]).valid(call.arguments)) {
        return Verdict::bad(fmt::format("not as {} declares: {}", call.name,
                                        printable(to_text(call.arguments), 60)));
      }
    }
    return Verdict::good();
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
    const std::string& text = reply.reply.content;
    if (has_call_text(text)) {
      return Verdict::bad(fmt::format("writes a call as text: {}", printable(text, 60)));
    }
    return words_in(text).empty() ? Verdict::bad("says nothing") : Verdict::good();
  };
}

}  // namespace pleiad::eval::graders
