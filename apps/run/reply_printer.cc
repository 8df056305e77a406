#include "apps/run/reply_printer.h"

#include <fmt/format.h>

#include <exception>

#include "apps/common/terminal.h"
#include "base/text_format.h"

namespace pleiad::apps {

ReplyPrinter::ReplyPrinter(PrintStyle style)
    : style_(style), content_(stdout), thinking_(style.thinking_apart ? stderr : stdout) {
  if (!style.markdown && !style.wrap) return;
  const int columns = style.wrap ? terminal_size(stdout).columns : 0;
  shown_content_.emplace(terminal::TextLook{.markdown = style.markdown, .columns = columns});
  shown_thinking_.emplace(terminal::TextLook{
      .columns = columns, .base = style.colour ? terminal::kDim : terminal::kPlain});
}

ReplyPrinter::~ReplyPrinter() {
  try {
    end_thinking();
    if (shown_content_) apps::print(shown_content_->finish());
    content_.finish();
  } catch (const std::exception&) {  // there is nobody left to tell
  }
}

// The terminal may have another width than before.
void ReplyPrinter::show(terminal::MarkdownText& shown, std::string_view text) {
  if (style_.wrap) shown.set_columns(terminal_size(stdout).columns);
  apps::print(shown.push(text));
}

void ReplyPrinter::print_thinking(const std::string& text) {
  if (!style_.show_thinking) return;
  const bool begins = !in_thinking_;
  in_thinking_ = true;
  if (shown_thinking_) {
    if (begins) apps::print(shown_content_->finish());
    return show(*shown_thinking_, begins ? "Thinking: " + text : text);
  }
  if (begins) {
    content_.finish();
    if (style_.colour) thinking_.set_style(Style::dim);
    thinking_.write("Thinking: ");
  }
  thinking_.write(text);
}

void ReplyPrinter::end_thinking() {
  if (!in_thinking_) return;
  in_thinking_ = false;
  if (shown_thinking_) {
    apps::print(shown_thinking_->finish());
  } else {
    thinking_.finish();
    if (style_.colour) thinking_.set_style(Style::plain);
  }
  thinking_.write("\n\n");
}

void ReplyPrinter::print_content(std::string_view text) {
  if (text.empty()) return;
  if (shown_content_) {
    show(*shown_content_, text);
  } else {
    content_.write(text);
  }
  at_line_start_ = text.back() == '\n';
}

// As it is, on a line of its own.
void ReplyPrinter::print_line(const std::string& line) {
  if (!at_line_start_) print_content("\n");
  if (shown_content_) apps::print(shown_content_->finish());
  content_.write(line + "\n");
  at_line_start_ = true;
}

void ReplyPrinter::print(const text::ReplyEvent& event) {
  using Kind = text::ReplyEvent::Kind;
  if (event.kind == Kind::thinking) return print_thinking(event.text);
  end_thinking();
  switch (event.kind) {
    case Kind::content:
      return print_content(event.text);
    case Kind::tool_call:
      return print_line(fmt::format("[tool call] {}", tool_call_text(event)));
    case Kind::broken_tool_call:
      return print_line(
          fmt::format("[tool call that cannot be used: {}] {}", event.problem, event.text));
    case Kind::call_begun:
    case Kind::call_arguments:  // the whole call follows
    case Kind::thinking:
      break;
  }
}

void ReplyPrinter::finish() {
  end_thinking();
  if (!at_line_start_) print_content("\n");
  if (shown_content_) apps::print(shown_content_->finish());
  content_.finish();
}

std::string tool_call_text(const text::ReplyEvent& call) {
  return fmt::format("{}({})", call.name, to_text(call.arguments));
}

std::string end_note(const ChatReply& reply, std::int64_t context_length) {
  switch (reply.reason) {
    case FinishReason::length:
      return fmt::format("[cut off after {} tokens, as asked for]",
                         format_count(static_cast<std::uint64_t>(reply.stats.generated_tokens)));
    case FinishReason::context_full:
      return fmt::format("[cut off: the context of {} tokens is full; /clear starts anew]",
                         format_count(static_cast<std::uint64_t>(context_length)));
    case FinishReason::repetition:
      return "[ended: it repeated itself; /set parameter repetition_guard off lets it go on]";
    case FinishReason::cancelled:
      return "[stopped]";
    case FinishReason::stop_token:
    case FinishReason::stop_string:
      return "";
  }
  return "";
}

std::string thought_note(const ChatReply& reply) {
  if (!reply.ended_thought) return "";
  return reply.ended_thought->why == EndedThought::Why::budget
             ? "[the thought was ended: its budget was spent]"
             : "[the thought was ended: it repeated itself]";
}

std::string stats_text(const ChatReply& reply,
                       const std::vector<std::pair<std::string, std::string>>& details) {
  const GenerationStats& s = reply.stats;
  const auto rate = [](std::int64_t n, double seconds) {
    return seconds > 0 && n > 0 ? fmt::format("{:.1f} tokens/s", static_cast<double>(n) / seconds)
                                : std::string("-");
  };
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<18} {}\n", name, value);
  };
  line("prompt", fmt::format("{} tokens: {} evaluated, {} cached", s.prompt_tokens,
                             s.evaluated_tokens(), s.cached_tokens));
  line("prompt time", fmt::format("{} ({})", format_seconds(s.prompt_seconds),
                                  rate(s.evaluated_tokens(), s.prompt_seconds)));
  const auto encodings = [&](std::string_view name, const EncodeStats& of) {
    if (of.n() == 0) return;
    line(name, fmt::format("{} encoded{}, {} cached", of.encoded,
                           of.seconds > 0 ? " in " + format_seconds(of.seconds) : "", of.cached));
  };
  encodings("pictures", s.media.pictures);
  encodings("clips of sound", s.media.sounds);
  line("generated", fmt::format("{} tokens", s.generated_tokens));
  if (s.saved_steps > 0 || s.forced_tokens > 0) {
    line("forced",
         fmt::format("{} tokens of these, which saved {} steps", s.forced_tokens, s.saved_steps));
  }
  line("generation time", fmt::format("{} ({})", format_seconds(s.generation_seconds),
                                      rate(s.generated_tokens, s.generation_seconds)));
  line("ended by", reply.stop_string
                       ? fmt::format("stop string '{}'", printable(*reply.stop_string))
                   : reply.reason == FinishReason::stop_token   ? "the model"
                   : reply.reason == FinishReason::length       ? "num_predict"
                   : reply.reason == FinishReason::context_full ? "the end of the context"
                   : reply.reason == FinishReason::repetition   ? "the guard against repetition"
                                                                : "the user");
  if (reply.seed) line("seed", fmt::format("{}", *reply.seed));
  for (const auto& [name, value] : details) line(name, value);
  if (reply.dropped_thinking_bytes > 0) {
    line("not shown", fmt::format("{} bytes of thoughts, although thinking is off",
                                  reply.dropped_thinking_bytes));
  }
  return text;
}

}  // namespace pleiad::apps
