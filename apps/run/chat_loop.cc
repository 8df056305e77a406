#include "apps/run/chat_loop.h"

#include <cstdio>
#include <utility>

#include "apps/common/interrupt.h"
#include "apps/common/progress_bar.h"
#include "apps/common/terminal.h"
#include "apps/run/line_reader.h"
#include "apps/run/reply_printer.h"
#include "apps/run/slash_commands.h"
#include "base/error.h"

namespace pleiad::apps {
namespace {

constexpr std::string_view kManyLines = "\"\"\"";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

ChatRequest ChatState::request() const {
  ChatRequest request;
  if (!system.empty()) request.messages.push_back({{"role", "system"}, {"content", system}});
  for (const Json& message : messages) request.messages.push_back(message);
  request.tools = tools;
  request.think = think;
  request.generation = generation;
  request.stop = stop;
  return request;
}

ChatLoop::ChatLoop(LoadedModel& model, Session& session, ChatState state,
                   const Environment& environment, std::string backend_description)
    : model_(model),
      session_(session),
      state_(std::move(state)),
      environment_(environment),
      backend_description_(std::move(backend_description)),
      stdout_is_terminal_(is_terminal(stdout)) {}

void ChatLoop::note(const std::string& text) const {
  if (text.empty()) return;
  const bool colour = environment_.colour && is_terminal(stderr);
  write_all(stderr, colour ? fmt::format("{}{}{}\n", kDim, text, kPlain) : text + "\n");
}

void ChatLoop::report(const ChatReply& reply) {
  note(end_note(reply, session_.context_length()));
  if (state_.verbose) write_all(stderr, "\n" + stats_text(reply, session_, model_.load_seconds()));
}

bool ChatLoop::answer(ChatReply& reply) {
  InterruptGuard::clear();
  ReplyPrinter printer({.colour = environment_.colour && stdout_is_terminal_,
                        .show_thinking = state_.show_thinking,
                        .thinking_apart = !stdout_is_terminal_});
  ProgressBar bar("reading the prompt", ProgressBar::Unit::tokens, true);
  const auto on_event = [&](const text::ReplyEvent& event) {
    bar.clear();
    printer.print(event);
    return !InterruptGuard::pressed();
  };
  const auto on_prompt = [&](std::int64_t done, std::int64_t total) {
    bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
    return !InterruptGuard::pressed();
  };
  Result<ChatReply> result = answer_chat(session_, model_, state_.request(), on_event, on_prompt);
  bar.clear();
  printer.finish();
  if (!result) throw Error("{}", result.message());
  reply = std::move(result).value();
  report(reply);
  return true;
}

int ChatLoop::answer_once(const std::string& prompt) {
  const InterruptGuard guard;
  state_.messages.push_back({{"role", "user"}, {"content", prompt}});
  ChatReply reply;
  answer(reply);
  return reply.reason == FinishReason::cancelled ? 130 : 0;
}

int ChatLoop::complete_once(const std::string& prompt) {
  const InterruptGuard guard;
  bool ends_line = true;
  const ChatReply reply = complete_text(
      session_, model_, prompt, state_.generation, state_.stop,
      [&](std::string_view text) {
        write_all(stdout, text);
        ends_line = text.ends_with('\n');
        return !InterruptGuard::pressed();
      },
      [](std::int64_t, std::int64_t) { return !InterruptGuard::pressed(); });
  if (!ends_line) write_all(stdout, "\n");
  report(reply);
  return reply.reason == FinishReason::cancelled ? 130 : 0;
}

// A message is a line, or several between """ and """.
bool ChatLoop::read_message(LineReader& reader, std::string& message, bool& leave) {
  InterruptGuard::clear();
  std::string line;
  switch (reader.read(">>> ", line)) {
    case ReadResult::interrupted:
      note("(Ctrl-D or /bye leaves)");
      return false;
    case ReadResult::end:
      leave = true;
      return false;
    case ReadResult::line:
      break;
  }
  if (!line.starts_with(kManyLines)) {
    message = line;
    return !is_blank(message);
  }
  line.erase(0, kManyLines.size());
  message.clear();
  for (;;) {
    const std::size_t end = line.find(kManyLines);
    message += line.substr(0, end);
    if (end != std::string::npos) return !is_blank(message);
    message += '\n';
    InterruptGuard::clear();
    switch (reader.read("... ", line)) {
      case ReadResult::interrupted:
        return false;
      case ReadResult::end:
        leave = true;
        return !is_blank(message);
      case ReadResult::line:
        break;
    }
  }
}

// The user plays the tools: a result for every call, or none at all.
bool ChatLoop::ask_for_tool_results(LineReader& reader, const ChatReply& reply) {
  const Json& calls = state_.messages.back()["tool_calls"];
  std::size_t index = 0;
  Json results = Json::array();
  for (const text::ReplyEvent& call : reply.reply.tool_calls) {
    if (call.kind != text::ReplyEvent::Kind::tool_call) continue;
    std::string line;
    InterruptGuard::clear();
    const ReadResult read = reader.read(fmt::format("result of {}> ", call.name), line);
    if (read != ReadResult::line) {
      note("[no result: the call stays unanswered]");
      return false;
    }
    results.push_back({{"role", "tool"},
                       {"tool_call_id", calls[index++]["id"]},
                       {"name", call.name},
                       {"content", line}});
  }
  for (Json& result : results) state_.messages.push_back(std::move(result));
  return true;
}

void ChatLoop::converse_about(LineReader& reader, const std::string& message) {
  const Json before = state_.messages;
  state_.messages.push_back({{"role", "user"}, {"content", message}});
  try {
    for (;;) {
      ChatReply reply;
      answer(reply);
      state_.messages.push_back(assistant_message(reply.reply));
      if (!state_.messages.back().contains("tool_calls")) return;
      if (!ask_for_tool_results(reader, reply)) return;
    }
  } catch (const Error& error) {
    // Too long for the context, say: the conversation is as it was before.
    state_.messages = before;
    note(fmt::format("{} (the message was not sent)", error.what()));
  }
}

int ChatLoop::converse(bool keep_history) {
  const InterruptGuard guard;
  const auto history = keep_history && !environment_.state_folder.empty()
                           ? environment_.state_folder / "history"
                           : std::filesystem::path();
  const auto reader = make_line_reader(history);
  const ModelFacts facts = {describe(model_), backend_description_, session_.context_length(),
                            static_cast<std::size_t>(model_.model().info().vocab_size)};
  if (is_terminal(stdin)) note(fmt::format("{}. /help lists the commands.", facts.description));
  for (bool leave = false; !leave;) {
    std::string message;
    if (!read_message(*reader, message, leave)) continue;
    if (is_command(message)) {
      const CommandOutcome outcome = run_command(message, state_, facts);
      write_all(outcome.failed ? stderr : stdout, outcome.output);
      if (outcome.forget_cache) session_.clear();
      leave = outcome.leave;
      continue;
    }
    if (message.starts_with("//")) message.erase(0, 1);
    converse_about(*reader, message);
    write_all(stdout, "\n");
  }
  return 0;
}

}  // namespace pleiad::apps
