#include "apps/run/slash_commands.h"

#include <fmt/format.h>

#include "apps/run/chat_file.h"
#include "apps/run/parameters.h"
#include "apps/run/reply_format.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::string_view kHelp =
    "  /set think | nothink       let the model think first, or not (the default)\n"
    "  /set show | hide           show its thoughts, dimmed, or not\n"
    "  /set verbose | quiet       print counts and rates after each reply, or not\n"
    "  /set system TEXT           the system turn ('/set system' alone: none)\n"
    "  /set tools FILE            tools that the model may call, a JSON list ('none': none)\n"
    "  /set format json | FILE    replies are JSON, or JSON of the file's schema ('none': any "
    "text)\n"
    "  /set parameter NAME VALUE  see /show parameters\n"
    "  /show info | parameters | system | tools | messages\n"
    "  /clear                     forget the conversation\n"
    "  /save FILE, /load FILE     the conversation as JSON\n"
    "  /bye                       leave (as Ctrl-D does)\n"
    "\n"
    "  \"\"\"                        begins and ends a message of several lines\n"
    "  Ctrl-C                     stops a reply\n";

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// "set parameter x" -> "set", rest "parameter x"
std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

CommandOutcome done(std::string output) { return {std::move(output) + "\n", false, false, false}; }
CommandOutcome failed(std::string output) { return {std::move(output) + "\n", true, false, false}; }

CommandOutcome set_tools(std::string_view file, ChatState& state, const ModelFacts& facts) {
  if (file.empty()) return failed("/set tools: expected a file, or 'none'");
  state.tools = file == "none" ? Json::array() : load_tools(typed_path(file, facts.home));
  return done(fmt::format("{} tool{}", state.tools.size(), state.tools.size() == 1 ? "" : "s"));
}

CommandOutcome set(std::string_view rest, ChatState& state, const ModelFacts& facts) {
  const std::string_view what = take_word(rest);
  const auto flag = [&](bool& target, bool value, std::string_view text) {
    target = value;
    return done(std::string(text));
  };
  if (what == "think") return flag(state.think, true, "thinking is on");
  if (what == "nothink") return flag(state.think, false, "thinking is off");
  if (what == "show") return flag(state.show_thinking, true, "thoughts are shown");
  if (what == "hide") return flag(state.show_thinking, false, "thoughts are hidden");
  if (what == "verbose") return flag(state.verbose, true, "counts and rates are shown");
  if (what == "quiet") return flag(state.verbose, false, "counts and rates are not shown");
  if (what == "system") {
    state.system = std::string(rest);
    return done(rest.empty() ? "no system turn" : "system turn set");
  }
  if (what == "tools") return set_tools(rest, state, facts);
  if (what == "format") {
    state.format = read_reply_format(rest, facts.home);
    return done(fmt::format("replies are {}", reply_format_text(state.format)));
  }
  if (what == "parameter") {
    const std::string_view name = take_word(rest);
    const Result<std::string> result = set_parameter(state, name, rest, facts.vocab_size);
    return result ? done(result.value()) : failed(result.message());
  }
  return failed(fmt::format("/set: there is no '{}'; see /help", printable(what)));
}

/// The text of a message, with [image] and the like for what is no text.
std::string content_text(const Json& message) {
  const auto content = message.find("content");
  if (content == message.end()) return "";
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  if (content->is_array()) {
    for (const Json& part : *content) {
      const std::string type = part.value("type", "text");
      text += type == "text" ? part.value("text", "") : fmt::format("[{}]", type);
    }
  }
  return text;
}

std::string messages_text(const ChatState& state) {
  std::string text;
  for (const Json& message : state.messages) {
    text += fmt::format("  {}: {}", printable(message.value("role", "?")), content_text(message));
    for (const Json& call : message.value("tool_calls", Json::array())) {
      const Json function = call.value("function", Json::object());
      const Json arguments = function.value("arguments", Json::object());
      text += fmt::format("[{}({})]", printable(function.value("name", "?")), to_text(arguments));
    }
    text += "\n";
  }
  return text.empty() ? "  no messages yet\n" : text;
}

CommandOutcome show_settings(std::string_view rest, const ChatState& state,
                             const ModelFacts& facts) {
  const std::string_view what = take_word(rest);
  if (what == "info" || what.empty()) {
    // What a server keeps, it alone knows.
    const std::string cache = facts.cache_bytes == 0 ? ""
                                                     : fmt::format(" ({} of cache when it is full)",
                                                                   format_bytes(facts.cache_bytes));
    return done(
        fmt::format("  model       {}\n  computes on {}\n  context     {} tokens{}\n  thinking    "
                    "{}\n  replies     {}",
                    facts.description, facts.backend,
                    format_count(static_cast<std::uint64_t>(facts.context_length)), cache,
                    state.think ? "on" : "off", reply_format_text(state.format)));
  }
  if (what == "parameters") {
    std::string text = parameter_values(state) + "\n";
    for (const Parameter& parameter : parameters()) {
      text += fmt::format("  {:<18} {}\n", parameter.name, parameter.about);
    }
    return {text, false, false, false};
  }
  if (what == "system") return done(state.system.empty() ? "  no system turn" : state.system);
  if (what == "tools") {
    return done(state.tools.empty() ? std::string("  no tools") : to_text(state.tools, 2));
  }
  if (what == "messages") return {messages_text(state), false, false, false};
  return failed(fmt::format("/show: there is no '{}'; see /help", printable(what)));
}

CommandOutcome run_checked(std::string_view line, ChatState& state, const ModelFacts& facts) {
  std::string_view rest = line.substr(1);
  const std::string_view command = take_word(rest);
  if (command == "help" || command == "?") return {std::string(kHelp), false, false, false};
  if (command == "bye" || command == "exit" || command == "quit") return {"", false, true, false};
  if (command == "set") return set(rest, state, facts);
  if (command == "show") return show_settings(rest, state, facts);
  if (command == "clear") {
    state.messages = Json::array();
    return {"the conversation is forgotten\n", false, false, true};
  }
  if (command == "save" || command == "load") {
    if (rest.empty()) return failed(fmt::format("/{}: expected a file", command));
    if (command == "save") {
      save_chat(state, typed_path(rest, facts.home));
      return done(fmt::format("{} messages saved to {}", state.messages.size(), rest));
    }
    load_chat(state, typed_path(rest, facts.home));
    return {fmt::format("{} messages loaded from {}\n", state.messages.size(), rest), false, false,
            true};
  }
  return failed(
      fmt::format("there is no command /{}; see /help (a message may begin with // to "
                  "mean a slash)",
                  printable(command)));
}

}  // namespace

bool is_command(std::string_view line) { return line.starts_with("/") && !line.starts_with("//"); }

CommandOutcome run_command(std::string_view line, ChatState& state, const ModelFacts& facts) {
  try {
    return run_checked(line, state, facts);
  } catch (const Error& error) {
    return failed(error.what());
  }
}

}  // namespace pleiad::apps
