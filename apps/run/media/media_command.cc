#include "apps/run/media/media_command.h"

#include <fmt/format.h>

#include "apps/run/command_words.h"

namespace pleiad::apps {
namespace {

std::string list_text(std::string_view title, const std::vector<AttachedMedia>& media) {
  if (media.empty()) return "";
  std::string text = fmt::format("  {}\n", title);
  for (const AttachedMedia& one : media) text += fmt::format("    {}\n", media_text(one));
  return text;
}

/// "is not sent: a.png, b.png"
CommandOutcome take_back(ShownMedia::Kind kind, ChatState& state, std::size_t count) {
  if (state.waiting.empty()) {
    return failed(fmt::format("/{}: nothing waits for the next message", media_word(kind)));
  }
  std::string names;
  for (; count > 0; --count) {
    names = fmt::format("{}{}{}", label(state.waiting.back()), names.empty() ? "" : ", ", names);
    state.waiting.pop_back();
  }
  return done(fmt::format("taken back: {}", names));
}

}  // namespace

std::string_view media_word(ShownMedia::Kind kind) {
  return kind == ShownMedia::Kind::document ? "file" : part_type(kind);
}

std::string media_list(const ChatState& state, const ModelFacts& facts) {
  std::string text = list_text("with the next message:", state.waiting) +
                     list_text("in the conversation:", state.media);
  if (text.empty()) text = "  no pictures, sounds, videos or documents\n";
  if (!facts.picture_budget) {
    return text + fmt::format("  the model sees no pictures: it {}\n", facts.blind);
  }
  return text +
         fmt::format("  a picture takes {} (/set image-tokens)\n",
                     picture_budget_text(state.wishes.picture_budget, *facts.picture_budget));
}

CommandOutcome media_command(ShownMedia::Kind kind, std::string_view rest, ChatState& state,
                             const ModelFacts& facts) {
  if (rest.empty()) return {media_list(state, facts), false, false, false};
  if (rest == "undo") return take_back(kind, state, 1);
  if (rest == "none") return take_back(kind, state, state.waiting.size());
  CommandOutcome outcome;
  outcome.attach = AttachWish{kind, std::string(rest)};
  return outcome;
}

}  // namespace pleiad::apps
