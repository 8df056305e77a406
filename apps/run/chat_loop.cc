#include "apps/run/chat_loop.h"

#include <cstdio>
#include <utility>

#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/common/terminal.h"
#include "apps/run/line_reader.h"
#include "apps/run/reply_printer.h"
#include "apps/run/slash_commands.h"
#include "base/error.h"
#include "base/file_changed_error.h"

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
  request.format = format;
  return request;
}

ChatLoop::ChatLoop(Answerer& answerer, ChatState state, const Environment& environment)
    : answerer_(answerer),
      state_(std::move(state)),
      environment_(environment),
      stdout_is_terminal_(is_terminal(stdout)) {}

void ChatLoop::note(const std::string& text) const {
  if (text.empty()) return;
  const bool colour = environment_.colour && is_terminal(stderr);
  print_note(indent_later_lines(text) + "\n", colour ? Style::dim : Style::plain);
}

void ChatLoop::report(const ChatReply& reply) {
  note(end_note(reply, answerer_.facts().context_length));
  if (state_.verbose) print_note("\n" + stats_text(reply, answerer_.details()));
}

ReplyObserver ChatLoop::observer(std::function<void(const text::ReplyEvent&)> on_event,
                                 ProgressBar& bar) const {
  ReplyObserver observer;
  observer.on_event = [&bar, on_event = std::move(on_event)](const text::ReplyEvent& event) {
    bar.clear();
    on_event(event);
  };
  observer.on_prompt = [&bar](std::int64_t done, std::int64_t total) {
    bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
  };
  observer.wants_more = [] { return !InterruptGuard::pressed(); };
  return observer;
}

ChatReply ChatLoop::answer() {
  InterruptGuard::clear();
  ReplyPrinter printer({.colour = environment_.colour && stdout_is_terminal_,
                        .show_thinking = state_.show_thinking,
                        .thinking_apart = !stdout_is_terminal_});
  ProgressBar bar("reading the prompt", ProgressBar::Unit::tokens, true);
  answerer_.choose(state_.chosen);
  Result<ChatReply> reply =
      answerer_.chat(state_.request(),
                     observer([&](const text::ReplyEvent& event) { printer.print(event); }, bar));
  bar.clear();
  printer.finish();
  if (!reply) throw Error("{}", reply.message());
  report(reply.value());
  return std::move(reply).value();
}

int ChatLoop::answer_once(const std::string& prompt) {
  const InterruptGuard guard;
  note(answerer_.note());
  state_.messages.push_back({{"role", "user"}, {"content", prompt}});
  return answer().reason == FinishReason::cancelled ? InterruptGuard::exit_status() : 0;
}

int ChatLoop::complete_once(const std::string& prompt) {
  const InterruptGuard guard;
  note(answerer_.note());
  bool ends_line = true;
  TextOutput out(stdout);
  ProgressBar bar("reading the prompt", ProgressBar::Unit::tokens, true);
  answerer_.choose(state_.chosen);
  const ChatReply reply = answerer_.complete(prompt, state_.generation, state_.stop,
                                             observer(
                                                 [&](const text::ReplyEvent& event) {
                                                   out.write(event.text);
                                                   ends_line = event.text.ends_with('\n');
                                                 },
                                                 bar));
  if (!ends_line) out.write("\n");
  out.finish();
  report(reply);
  return reply.reason == FinishReason::cancelled ? InterruptGuard::exit_status() : 0;
}

// A message is a line, or a block of several between """ and """.
ChatLoop::Typed ChatLoop::read_message(LineReader& reader) {
  InterruptGuard::clear();
  std::string line;
  switch (reader.read(">>> ", line)) {
    case ReadResult::interrupted:
      note("(Ctrl-D or /bye leaves)");
      return {};
    case ReadResult::end:
      return {Typed::Kind::leave, ""};
    case ReadResult::line:
      break;
  }
  if (!line.starts_with(kManyLines)) {
    return {is_blank(line) ? Typed::Kind::nothing : Typed::Kind::line, line};
  }
  line.erase(0, kManyLines.size());
  std::string block;
  for (;;) {
    if (const std::size_t end = line.find(kManyLines); end != std::string::npos) {
      // What stands behind the closing quotes belongs to the message as well.
      block += line.substr(0, end) + line.substr(end + kManyLines.size());
      return {is_blank(block) ? Typed::Kind::nothing : Typed::Kind::block, block};
    }
    block += line + '\n';
    InterruptGuard::clear();
    switch (reader.read("... ", line)) {
      case ReadResult::interrupted:
        return {};
      case ReadResult::end:
        note("[the message was not ended with \"\"\" and was not sent]");
        return {Typed::Kind::leave, ""};
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
      const ChatReply reply = answer();
      if (reply.reason == FinishReason::cancelled && reply.stats.generated_tokens == 0) {
        state_.messages = before;
        note("[the message was taken back]");
        return;
      }
      state_.messages.push_back(assistant_message(reply.reply));
      if (!state_.messages.back().contains("tool_calls")) return;
      if (!ask_for_tool_results(reader, reply)) return;
    }
  } catch (const FileChangedError&) {
    throw;  // there is no model any more
  } catch (const std::exception& error) {
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
  const ModelFacts facts = answerer_.facts();
  const bool at_terminal = is_terminal(stdin);
  if (at_terminal) note(fmt::format("{}. /help lists the commands.", facts.description));
  if (!at_terminal) note(answerer_.note());
  for (;;) {
    Typed typed = read_message(*reader);
    switch (typed.kind) {
      case Typed::Kind::nothing:
        continue;
      case Typed::Kind::leave:
        if (at_terminal) print("\n");
        return 0;
      case Typed::Kind::block:
        break;
      case Typed::Kind::line:
        if (is_command(typed.text)) {
          const CommandOutcome outcome = run_command(typed.text, state_, facts);
          outcome.failed ? print_note(outcome.output) : print(outcome.output);
          if (outcome.forget_cache) answerer_.forget();
          if (outcome.leave) return 0;
          continue;
        }
        if (typed.text.starts_with("//")) typed.text.erase(0, 1);
        break;
    }
    converse_about(*reader, typed.text);
    print("\n");
  }
}

}  // namespace pleiad::apps
