#include "apps/run/slash_commands.h"

#include <fmt/format.h>

#include "apps/run/chat_file.h"
#include "apps/run/command_words.h"
#include "apps/run/media/media_command.h"
#include "apps/run/parameters.h"
#include "apps/run/reply_format.h"
#include "apps/run/settings_command.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::string_view kHelp =
    "  /set think [LEVEL] | nothink\n"
    "                             let the model think first, to a level of low, medium or high, or "
    "not\n"
    "  /set show | hide           show its thoughts, dimmed, or not\n"
    "  /set verbose | quiet       print counts and rates after each reply, or not\n"
    "  /set markdown | nomarkdown show replies in styles, or as the model writes them\n"
    "  /set wordwrap | nowordwrap break lines between words, or leave it to the terminal\n"
    "  /set system TEXT           the system turn ('/set system' alone: none)\n"
    "  /set tools FILE            tools that the model may call, a JSON list ('none': none)\n"
    "  /set format json | FILE | regex:PATTERN\n"
    "                             replies are JSON, of the file's schema, as its grammar says, or "
    "of the pattern ('none': any text)\n"
    "  /set image-tokens N        tokens of a picture: 70 to 1120, auto by its size, or default\n"
    "  /set pages-as HOW          pages of a PDF, of one that is attached next: auto, text or "
    "image\n"
    "  /set parameter NAME VALUE  see /show parameters\n"
    "  /show info | parameters | system | tools | messages | images\n"
    "  /image FILE... [QUESTION]  show the model a picture, now or with the next message, as does\n"
    "                             a file dropped on the terminal ('/image undo': not that one)\n"
    "  /audio FILE [QUESTION]     let it hear a sound, or that of a video\n"
    "  /video FILE [QUESTION]     show it frames of a video\n"
    "  /file FILE [PAGES] [QUESTION]\n"
    "                             show it a document: PDF (all pages, or 3-7,9), DOCX, HTML, text\n"
    "  /retry                     answer the last message anew\n"
    "  /model NAME                go on with another model ('/model' alone: those at hand)\n"
    "  /clear                     forget the conversation\n"
    "  /save FILE, /load FILE     the conversation as JSON (a file, not a model)\n"
    "  /bye                       leave, as Ctrl-D, exit, quit and Ctrl-C twice do\n"
    "\n"
    "  Enter                      sends the message; what is pasted waits for it, lines and all\n"
    "  Alt-Enter, Ctrl-J          begin another line of it\n"
    "  \"\"\"                        begins and ends a message of several lines\n"
    "  Up, Down, Ctrl-R           earlier messages; Ctrl-R looks for one\n"
    "  Tab                        completes a command, or a path\n"
    "  Ctrl-C                     stops a reply, or throws the message away\n";

/// What stands for a part that is no text: "[image note.jpg]", "[audio]".
std::string part_text(const Json& part, const std::string& type, const ChatState& state) {
  const auto number = part.find("media");
  if (number == part.end() || !number->is_number_unsigned()) return fmt::format("[{}]", type);
  const auto index = number->get<std::size_t>();
  if (index >= state.media.size()) return fmt::format("[{}]", type);
  return fmt::format("[{} {}]", type, label(state.media[index]));
}

/// The text of a message, with [image] and the like for what is no text.
std::string content_text(const Json& message, const ChatState& state) {
  const auto content = message.find("content");
  if (content == message.end()) return "";
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  if (content->is_array()) {
    for (const Json& part : *content) {
      const std::string type = part.value("type", "text");
      if (text.ends_with(']')) text += ' ';
      text += type == "text" ? part.value("text", "") : part_text(part, type, state);
    }
  }
  return text;
}

std::string messages_text(const ChatState& state) {
  std::string text;
  for (const Json& message : state.messages) {
    text += fmt::format("  {}: {}", printable(message.value("role", "?")),
                        content_text(message, state));
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
                    "{}\n  pictures    {}\n  replies     {}",
                    facts.description, facts.backend,
                    format_count(static_cast<std::uint64_t>(facts.context_length)), cache,
                    state.think ? "on" : "off",
                    facts.picture_budget
                        ? picture_budget_text(state.wishes.picture_budget, *facts.picture_budget)
                        : "none: the model " + facts.blind,
                    reply_format_text(state.format)));
  }
  if (what == "parameters") {
    std::string text =
        parameter_values(state) + fmt::format("  {:<18} {}\n\n", "num_ctx", facts.context_length);
    for (const Parameter& parameter : parameters()) {
      text += fmt::format("  {:<18} {}\n", parameter.name, parameter.about);
    }
    text += fmt::format("  {:<18} {}\n", "num_ctx", "longest conversation in tokens");
    return {text, false, false, false};
  }
  if (what == "system") return done(state.system.empty() ? "  no system turn" : state.system);
  if (what == "tools") {
    return done(state.tools.empty() ? std::string("  no tools") : to_text(state.tools, 2));
  }
  if (what == "messages") return {messages_text(state), false, false, false};
  if (what == "images") return {media_list(state, facts), false, false, false};
  return failed(fmt::format("/show: there is no '{}'; see /help", printable(what)));
}

/// With Ollama, /save and /load take the names of models.
bool looks_like_model(std::string_view file) {
  return file.find_first_of("/.") == std::string_view::npos ||
         file.find(':') != std::string_view::npos;
}

CommandOutcome save(std::string_view file, ChatState& state, const ModelFacts& facts) {
  save_chat(state, typed_path(file, facts.home));
  return done(fmt::format("{} messages saved to {}{}", state.messages.size(), file,
                          looks_like_model(file) ? ", a file ('pleiad create' makes models)" : ""));
}

CommandOutcome load(std::string_view file, ChatState& state, const ModelFacts& facts) {
  try {
    load_chat(state, typed_path(file, facts.home));
  } catch (const Error& error) {
    if (!looks_like_model(file)) throw;
    return failed(
        fmt::format("{}\n(/load reads a conversation that /save wrote; '/model {}' goes on "
                    "with another model)",
                    error.what(), printable(file)));
  }
  return {fmt::format("{} messages loaded from {}\n", state.messages.size(), file), false, false,
          true};
}

CommandOutcome run_checked(std::string_view line, ChatState& state, const ModelFacts& facts) {
  std::string_view rest = line.substr(1);
  const std::string_view command = take_word(rest);
  if (command == "help" || command == "?") return {std::string(kHelp), false, false, false};
  if (command == "bye" || command == "exit" || command == "quit") return {"", false, true, false};
  if (command == "set") return change_setting(rest, state, facts);
  if (command == "show") return show_settings(rest, state, facts);
  if (command == "clear") {
    state.messages = Json::array();
    state.media.clear();
    state.waiting.clear();
    return {"the conversation is forgotten\n", false, false, true};
  }
  if (command == "retry" || command == "regenerate") {
    CommandOutcome outcome;
    outcome.retry = true;
    return outcome;
  }
  if (command == "model") {
    CommandOutcome outcome;
    outcome.model = std::string(rest);
    return outcome;
  }
  for (const auto kind : {ShownMedia::Kind::picture, ShownMedia::Kind::sound,
                          ShownMedia::Kind::video, ShownMedia::Kind::document}) {
    if (command == media_word(kind)) return media_command(kind, rest, state, facts);
  }
  if (command == "save" || command == "load") {
    if (rest.empty()) return failed(fmt::format("/{}: expected a file", command));
    return command == "save" ? save(rest, state, facts) : load(rest, state, facts);
  }
  if (command.find('/') != command.npos) {
    return failed(fmt::format(
        "/{} is no file that can be shown, and no command; see /help (a message may begin with // "
        "to mean a slash)",
        printable(command)));
  }
  return failed(
      fmt::format("there is no command /{}; see /help (a message may begin with // to "
                  "mean a slash)",
                  printable(command)));
}

}  // namespace

std::span<const std::string_view> command_words() {
  static constexpr std::string_view kWords[] = {"audio", "bye",   "clear", "exit",  "file",
                                                "help",  "image", "load",  "model", "quit",
                                                "retry", "save",  "set",   "show",  "video"};
  return kWords;
}

std::span<const std::string_view> show_words() {
  static constexpr std::string_view kWords[] = {"images",     "info",   "messages",
                                                "parameters", "system", "tools"};
  return kWords;
}

bool is_command(std::string_view line) { return line.starts_with("/") && !line.starts_with("//"); }

CommandOutcome run_command(std::string_view line, ChatState& state, const ModelFacts& facts) {
  try {
    return run_checked(line, state, facts);
  } catch (const Error& error) {
    return failed(error.what());
  }
}

}  // namespace pleiad::apps
