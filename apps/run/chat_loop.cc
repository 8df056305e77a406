#include "apps/run/chat_loop.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "apps/common/confirm.h"
#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/common/terminal.h"
#include "apps/common/usage_error.h"
#include "apps/run/command_completion.h"
#include "apps/run/line_reader.h"
#include "apps/run/media/dropped_paths.h"
#include "apps/run/missing_answerer.h"
#include "apps/run/parameters.h"
#include "apps/run/recipe.h"
#include "apps/run/reply_printer.h"
#include "apps/run/slash_commands.h"
#include "base/error.h"
#include "base/file_changed_error.h"
#include "base/text_format.h"
#include "constrain/schema/parameter_path.h"

namespace pleiad::apps {
namespace {

constexpr std::string_view kPrompt = ">>> ";
constexpr std::string_view kMoreLines = "... ";
constexpr std::size_t kLongestWarning = 10'000;  // a server's

/// What is wrong with a request: with the command line, where it is the format or a tool that was
/// given there.
[[noreturn]] void refuse_request(const std::string& message) {
  const std::string_view path = constrain::leading_path(message);
  if (path.starts_with("format") || path.starts_with("tools")) throw UsageError("{}", message);
  throw Error("{}", message);
}

}  // namespace

ChatLoop::ChatLoop(OpenedModel model, ModelChoice models, ChatState state, MediaDesk desk,
                   const Environment& environment)
    : model_(std::move(model)),
      models_(std::move(models)),
      state_(std::move(state)),
      desk_(std::move(desk)),
      environment_(environment),
      stdout_is_terminal_(is_terminal(stdout)) {}

void ChatLoop::note(const std::string& text) const {
  if (text.empty()) return;
  const bool colour = environment_.colour && is_terminal(stderr);
  print_note(indent_later_lines(text) + "\n", colour ? Style::dim : Style::plain);
}

void ChatLoop::report(const ChatReply& reply) {
  for (const std::string& warning : reply.warnings) {
    note("warning: " + printable(warning, kLongestWarning));
  }
  note(thought_note(reply));
  note(end_note(reply, model_.answerer->facts().context_length));
  if (!state_.verbose) return;
  auto details = model_.answerer->details();
  for (AttachedMedia& media : state_.media) {
    count(media);
    const std::string text = media_text(media);
    const std::string how =
        media.kind == ShownMedia::Kind::document ? ""
        : media.kind == ShownMedia::Kind::sound
            ? fmt::format(", heard in {} clip{}", media.use.clips, media.use.clips == 1 ? "" : "s")
            : fmt::format(", seen as {} x {}", media.use.shown.width, media.use.shown.height);
    details.emplace_back(std::string(singular(media.kind).substr(2)), text + how);
  }
  print_note("\n" + stats_text(reply, details));
}

ReplyObserver ChatLoop::observer(std::function<void(const text::ReplyEvent&)> on_event,
                                 ProgressBar& bar) const {
  ReplyObserver observer;
  observer.on_event = [&bar, on_event = std::move(on_event)](const text::ReplyEvent& event) {
    bar.clear();
    on_event(event);
  };
  // On the same line as the other bar, which begins when it is told of.
  observer.on_prompt = [&bar, encoding = std::make_shared<std::optional<ProgressBar>>()](
                           const PromptProgress& progress) {
    if (progress.to_encode > 0) {
      if (!*encoding) encoding->emplace("encoding pictures", ProgressBar::Unit::tokens, true);
      (*encoding)->update(static_cast<std::uint64_t>(progress.encoded),
                          static_cast<std::uint64_t>(progress.to_encode));
      return;
    }
    if (*encoding) (*encoding)->clear();
    bar.update(static_cast<std::uint64_t>(progress.done),
               static_cast<std::uint64_t>(progress.total));
  };
  observer.wants_more = [] { return !InterruptGuard::pressed(); };
  return observer;
}

ChatReply ChatLoop::answer() {
  InterruptGuard::clear();
  const bool obeys = stdout_is_terminal_ && !environment_.dumb_terminal;
  ReplyPrinter printer({.colour = environment_.colour && stdout_is_terminal_,
                        .show_thinking = state_.show_thinking,
                        .thinking_apart = !stdout_is_terminal_,
                        .markdown = state_.markdown && obeys && environment_.colour,
                        .wrap = state_.wrap && obeys});
  read_media();
  ProgressBar bar("reading the prompt", ProgressBar::Unit::tokens, true);
  model_.answerer->choose(state_.chosen, state_.system_is_set);
  Result<ChatReply> reply = model_.answerer->chat(
      state_.request(), {state_.media, state_.wishes},
      observer([&](const text::ReplyEvent& event) { printer.print(event); }, bar));
  bar.clear();
  printer.finish();
  if (!reply) refuse_request(reply.message());
  report(reply.value());
  return std::move(reply).value();
}

int ChatLoop::answer_once(const std::string& prompt) {
  const InterruptGuard guard;
  note(model_.answerer->note());
  state_.ask(prompt);
  return answer().reason == FinishReason::cancelled ? InterruptGuard::exit_status() : 0;
}

int ChatLoop::complete_once(const std::string& prompt) {
  const InterruptGuard guard;
  note(model_.answerer->note());
  bool ends_line = true;
  TextOutput out(stdout);
  ProgressBar bar("reading the prompt", ProgressBar::Unit::tokens, true);
  model_.answerer->choose(state_.chosen, state_.system_is_set);
  const auto show = [&](const text::ReplyEvent& event) {
    out.write(event.text);
    ends_line = event.text.ends_with('\n');
  };
  const ChatReply reply = model_.answerer->complete(prompt, state_.generation, state_.limits,
                                                    state_.stop, observer(show, bar));
  if (!ends_line) out.write("\n");
  out.finish();
  report(reply);
  return reply.reason == FinishReason::cancelled ? InterruptGuard::exit_status() : 0;
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
      interrupted_ = read == ReadResult::interrupted;
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

void ChatLoop::send(LineReader& reader, const std::string& text) {
  const Before as_it_was = before();
  state_.ask(text);
  exchange(reader, as_it_was, "the message was not sent");
}

void ChatLoop::exchange(LineReader& reader, const Before& before, const std::string& taken_back) {
  try {
    for (;;) {
      const ChatReply reply = answer();
      interrupted_ = reply.reason == FinishReason::cancelled;
      if (interrupted_) note("(Ctrl-C again leaves)");
      if (interrupted_ && reply.stats.generated_tokens == 0) {
        restore(before, "", taken_back);
        break;
      }
      state_.messages.push_back(assistant_message(reply.reply));
      if (!state_.messages.back().contains("tool_calls")) break;
      if (!ask_for_tool_results(reader, reply)) break;
    }
  } catch (const FileChangedError&) {
    throw;  // there is no model any more
  } catch (const Interrupted&) {
    interrupted_ = true;
    note("(Ctrl-C again leaves)");
    restore(before, "", taken_back);
  } catch (const std::exception& error) {
    // Too long for the context, say: the conversation is as it was before.
    restore(before, error.what(), taken_back);
  }
  print("\n");
}

void ChatLoop::retry(LineReader& reader) {
  Before as_it_was = before();
  if (!state_.drop_reply()) return note("/retry: there is no message to answer again");
  exchange(reader, as_it_was, "the conversation is as it was");
}

void ChatLoop::list_models() const {
  std::string list;
  const std::set<std::string> own = models_.names_of(models_.name);
  for (const std::string& other : models_.names()) {
    list += fmt::format("{} {}\n", own.contains(other) ? " *" : "  ", other);
  }
  print(list.empty() ? "  no models at hand; see pleiad list\n" : list);
}

// Whatever goes wrong, the conversation is what a user would lose last.
void ChatLoop::use_model(LineReader& reader, const std::string& wanted) {
  const auto ask = [&](const std::string& question) {
    std::string answer;
    return reader.read(as_question(question), answer) == ReadResult::line && is_yes(answer);
  };
  std::string name;
  try {
    if (wanted.empty()) return list_models();
    name = models_.find(wanted, ask);
  } catch (const Interrupted&) {
    return;  // who was fetching it has said so
  } catch (const std::exception& error) {
    return note(fmt::format("/model: {}", error.what()));
  }
  // Two models at once may be more than the memory holds.
  model_ = {std::make_unique<MissingAnswerer>(environment_.home), {}, {}};
  try {
    go_on_with(name);
    models_.name = name;
  } catch (const Interrupted&) {
    if (InterruptGuard::ended()) return;
    note("/model: [stopped]");
    return_to_model();
  } catch (const std::exception& error) {
    note(fmt::format("/model: {}", error.what()));
    return_to_model();
  }
}

// What the user has set stays set; all else is the new model's.
void ChatLoop::go_on_with(const std::string& name) {
  OpenedModel opened = models_.open(name);
  std::string notes;
  if (context_length_) {
    const Result<std::string> set = opened.answerer->set_context_length(*context_length_);
    if (!set) notes += set.message() + "\n";
  }
  if (!state_.generation.sampling.logit_bias.empty()) {
    notes += "--logit-bias was for the ids of the first model and is not used any more\n";
  }
  ChatState fresh = state_;
  fresh.generation = opened.defaults;
  fresh.stop.clear();
  apply_recipe(fresh, opened.recipe, opened.answerer->facts().vocab_size, false);
  if (!fresh.system_is_set) fresh.system = recipe_system(opened.recipe);
  for (auto* list : {&fresh.media, &fresh.waiting}) {
    for (AttachedMedia& media : *list) media.is_counted = false;  // by another tokenizer
  }
  keep_chosen(state_, fresh);
  state_ = std::move(fresh);
  model_ = std::move(opened);
  note(notes + model_.answerer->facts().description);
}

void ChatLoop::return_to_model() {
  InterruptGuard::clear();
  try {
    OpenedModel opened = models_.open(models_.name);
    if (context_length_) static_cast<void>(opened.answerer->set_context_length(*context_length_));
    model_ = std::move(opened);
    note(model_.answerer->facts().description);
  } catch (const Interrupted&) {
    if (!InterruptGuard::ended()) note("[stopped: no model is loaded]");
  } catch (const std::exception& error) {
    note(fmt::format("{} (no model is loaded)", error.what()));
  }
}

void ChatLoop::set_context_length(std::int64_t length) {
  const Result<std::string> set = model_.answerer->set_context_length(length);
  if (set) context_length_ = length;
  set ? print(set.value() + "\n") : note(set.message());
}

ChatLoop::Next ChatLoop::command(LineReader& reader, const std::string& line) {
  const CommandOutcome outcome = run_command(line, state_, model_.answerer->facts());
  outcome.failed ? print_note(outcome.output) : print(outcome.output);
  if (outcome.forget_cache) model_.answerer->forget();
  if (outcome.leave) return Next::leave;
  if (outcome.retry) retry(reader);
  if (outcome.model) use_model(reader, *outcome.model);
  if (outcome.attach) show(reader, *outcome.attach);
  if (outcome.context_length) set_context_length(*outcome.context_length);
  return Next::go_on;
}

// The first Ctrl-C throws the line away, or has stopped a reply; another one at once leaves.
ChatLoop::Next ChatLoop::interrupted(bool was_empty) {
  if (was_empty && interrupted_) return Next::leave;
  interrupted_ = true;
  note("(Ctrl-C again, Ctrl-D or /bye leaves)");
  return Next::go_on;
}

bool ChatLoop::read_block(LineReader& reader, std::string& block, Next& next) {
  for (std::size_t line_start = block.size(); !end_block(block, line_start);) {
    std::string line;
    InterruptGuard::clear();
    switch (reader.read(std::string(kMoreLines), line)) {
      case ReadResult::line:
        line_start = block.size();
        block += '\n' + line;
        break;
      case ReadResult::interrupted:
        next = interrupted(false);
        return false;
      case ReadResult::end:
        note("[the message was not ended with \"\"\" and was not sent]");
        next = Next::leave;
        return false;
      case ReadResult::ended:
        next = Next::ended;
        return false;
    }
  }
  return true;
}

ChatLoop::Next ChatLoop::take_message(LineReader& reader) {
  using Kind = TypedMessage::Kind;
  InterruptGuard::clear();
  std::string text;
  switch (reader.read(std::string(kPrompt), text)) {
    case ReadResult::interrupted:
      return interrupted(text.empty());
    case ReadResult::end:
      return Next::leave;
    case ReadResult::ended:
      return Next::ended;
    case ReadResult::line:
      break;
  }
  interrupted_ = false;
  if (const auto dropped =
          is_terminal(stdin) ? dropped_media(text, environment_.home) : std::nullopt) {
    reader.remember(text);
    if (attach(*dropped)) note_waiting();
    return Next::go_on;
  }
  TypedMessage typed = read_typed_message(text);
  if (typed.kind == Kind::open_block) {
    Next next = Next::go_on;
    if (!read_block(reader, typed.text, next)) return next;
    text = fmt::format("\"\"\"{}\"\"\"", typed.text);
    if (typed.text.find_first_not_of(" \t\r\n") != std::string::npos) typed.kind = Kind::message;
  }
  if (typed.kind == Kind::open_block || typed.kind == Kind::nothing) return Next::go_on;
  reader.remember(text);
  if (typed.kind == Kind::leave) return Next::leave;
  if (typed.kind == Kind::command) return command(reader, typed.text);
  send(reader, typed.text);
  return Next::go_on;
}

int ChatLoop::converse(bool keep_history) {
  const InterruptGuard guard(InterruptGuard::Signals::ending);
  converses_ = true;
  const bool has_history = keep_history && !environment_.state_folder.empty();
  const bool at_terminal = is_terminal(stdin);
  if (at_terminal) {
    note(fmt::format("{}. /help lists the commands.", model_.answerer->facts().description));
  } else {
    note(model_.answerer->note());
  }
  const auto reader =
      make_line_reader({.history_file = has_history ? environment_.state_folder / "history"
                                                    : std::filesystem::path(),
                        .complete = command_completer(models_.names, environment_.home),
                        .dumb_terminal = environment_.dumb_terminal});
  if (!state_.waiting.empty()) note_waiting();
  for (;;) {
    const Next next = InterruptGuard::ended() ? Next::ended : take_message(*reader);
    if (next == Next::ended) return InterruptGuard::exit_status();
    if (next == Next::go_on) continue;
    if (at_terminal) print("\n");
    return 0;
  }
}

}  // namespace pleiad::apps
