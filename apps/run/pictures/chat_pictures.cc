// What a conversation at the terminal does with pictures.
#include <fmt/format.h>

#include <utility>

#include "apps/common/interrupt.h"
#include "apps/run/chat_loop.h"
#include "apps/run/pictures/dropped_paths.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::apps {

ChatLoop::Before ChatLoop::before() const {
  return {state_.messages, state_.pictures.size(), state_.waiting};
}

void ChatLoop::restore(const Before& before, const std::string& why,
                       const std::string& taken_back) {
  state_.messages = before.messages;
  state_.pictures.resize(before.n_pictures);
  state_.waiting = before.waiting;
  const std::string pictures =
      before.waiting.empty() ? "" : "; what was attached waits for the next message";
  note(why.empty() ? fmt::format("[{}{}]", taken_back, pictures)
                   : fmt::format("{} ({}{})", why, taken_back, pictures));
}

int ChatLoop::usual_budget() const {
  const ModelFacts facts = model_.answerer->facts();
  if (!facts.picture_budget) {
    throw Error("{} sees no pictures: it {}", printable(models_.name, 200), facts.blind);
  }
  return *facts.picture_budget;
}

void ChatLoop::read_pictures() {
  if (state_.pictures.empty() && state_.waiting.empty()) return;
  const int usual = usual_budget();
  for (auto* pictures : {&state_.pictures, &state_.waiting}) {
    for (AttachedPicture& picture : *pictures) desk_.read(picture, state_.picture_budget, usual);
  }
}

bool ChatLoop::attach(const std::vector<std::filesystem::path>& paths) {
  try {
    const int usual = usual_budget();
    std::vector<AttachedPicture> pictures;
    for (const std::filesystem::path& path : paths) {
      if (state_.pictures.size() + state_.waiting.size() + pictures.size() == kMostPictures) {
        throw Error("more than {} pictures in a conversation; /clear begins another",
                    kMostPictures);
      }
      pictures.push_back(PictureDesk::open(path));
      desk_.read(pictures.back(), state_.picture_budget, usual);
    }
    for (AttachedPicture& picture : pictures) state_.waiting.push_back(std::move(picture));
    return true;
  } catch (const Interrupted&) {
    note("[stopped: nothing was attached]");
  } catch (const Error& error) {
    note(error.what());
  }
  return false;
}

void ChatLoop::show_picture(LineReader& reader, const std::string& typed) {
  InterruptGuard::clear();
  const auto [path, question] = take_path(typed, environment_.home);
  if (!attach({path})) return;
  if (!question.empty()) return send(reader, question);
  note_waiting();
}

void ChatLoop::note_waiting() {
  read_pictures();
  std::string names;
  for (const AttachedPicture& picture : state_.waiting) names += picture_text(picture) + "\n";
  note(fmt::format("{}[with your next message; /image undo takes {} back]", names,
                   state_.waiting.size() == 1 ? "it" : "the last one"));
}

}  // namespace pleiad::apps
