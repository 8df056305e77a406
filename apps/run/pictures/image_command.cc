#include "apps/run/pictures/image_command.h"

#include <fmt/format.h>

#include "apps/run/command_words.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

std::string list_text(std::string_view title, const std::vector<AttachedPicture>& pictures) {
  if (pictures.empty()) return "";
  std::string text = fmt::format("  {}\n", title);
  for (const AttachedPicture& picture : pictures) {
    text += fmt::format("    {}\n", picture_text(picture));
  }
  return text;
}

/// "is not sent: a.png, b.png"
CommandOutcome take_back(ChatState& state, std::size_t count) {
  if (state.waiting.empty()) return failed("/image: no picture waits for the next message");
  std::string names;
  for (; count > 0; --count) {
    names = fmt::format("{}{}{}", printable(state.waiting.back().name), names.empty() ? "" : ", ",
                        names);
    state.waiting.pop_back();
  }
  return done(fmt::format("taken back: {}", names));
}

}  // namespace

std::string pictures_text(const ChatState& state, const ModelFacts& facts) {
  std::string text = list_text("with the next message:", state.waiting) +
                     list_text("in the conversation:", state.pictures);
  if (text.empty()) text = "  no pictures\n";
  if (!facts.picture_budget)
    return text + fmt::format("  the model sees none: it {}\n", facts.blind);
  return text + fmt::format("  a picture takes {} (/set image-tokens)\n",
                            picture_budget_text(state.picture_budget, *facts.picture_budget));
}

CommandOutcome image_command(std::string_view rest, ChatState& state, const ModelFacts& facts) {
  if (rest.empty()) return {pictures_text(state, facts), false, false, false};
  if (rest == "undo") return take_back(state, 1);
  if (rest == "none") return take_back(state, state.waiting.size());
  CommandOutcome outcome;
  outcome.picture = std::string(rest);
  return outcome;
}

}  // namespace pleiad::apps
