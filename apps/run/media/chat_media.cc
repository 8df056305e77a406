// What a conversation at the terminal does with pictures, sounds, videos and documents.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <tuple>
#include <utility>

#include "apps/common/interrupt.h"
#include "apps/run/chat_loop.h"
#include "apps/run/media/dropped_paths.h"
#include "apps/run/media/media_command.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/documents/document_kind.h"

namespace pleiad::apps {

ChatLoop::Before ChatLoop::before() const {
  return {state_.messages, state_.media.size(), state_.waiting};
}

void ChatLoop::restore(const Before& before, const std::string& why,
                       const std::string& taken_back) {
  state_.messages = before.messages;
  state_.media.resize(before.n_media);
  state_.waiting = before.waiting;
  const std::string attached =
      before.waiting.empty() ? "" : "; what was attached waits for the next message";
  note(why.empty() ? fmt::format("[{}{}]", taken_back, attached)
                   : fmt::format("{} ({}{})", why, taken_back, attached));
}

// Throws Error where the model has no tower for it.
PromptTowers ChatLoop::towers_for(ShownMedia::Kind kind) const {
  const ModelFacts facts = model_.answerer->facts();
  const std::string name = printable(models_.name, 200);
  if (kind == ShownMedia::Kind::picture && !facts.picture_budget) {
    throw Error("{} sees no pictures: it {}", name, facts.blind);
  }
  if (const std::string problem = problem_with(facts.towers, kind); !problem.empty()) {
    throw Error("{} {} no {}: it {}", name, kind == ShownMedia::Kind::sound ? "hears" : "is shown",
                plural(kind), problem);
  }
  if (kind == ShownMedia::Kind::video && state_.wishes.video_sound && !facts.towers.audio.hears()) {
    throw Error("{} hears no videos: it {}", name, facts.towers.audio.problem);
  }
  return facts.towers;
}

void ChatLoop::read(AttachedMedia& media) {
  note(desk_.read(media, state_.wishes, towers_for(media.kind)));
  if (converses_) count(media);
}

void ChatLoop::count(AttachedMedia& media) {
  if (media.kind != ShownMedia::Kind::document || media.is_counted) return;
  const auto n = model_.answerer->document_tokens(media, state_.wishes);
  if (!n) return;
  media.use.tokens = *n;
  media.is_counted = true;
}

void ChatLoop::read_media() {
  for (auto* list : {&state_.media, &state_.waiting}) {
    for (AttachedMedia& media : *list) read(media);
  }
}

namespace {

/// Other documents have no pages.
bool is_pdf(const AttachedMedia& media) {
  return media.kind == ShownMedia::Kind::document &&
         media::sniff_document(std::as_bytes(std::span(*media.bytes)), media.name) ==
             media::DocumentKind::pdf;
}

/// The same of a file that is not read yet, by its first bytes.
bool is_pdf(const std::filesystem::path& path) {
  std::array<char, 1024> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  return media::sniff_document(
             std::as_bytes(std::span(bytes).first(static_cast<std::size_t>(file.gcount()))),
             path.filename().string()) == media::DocumentKind::pdf;
}

}  // namespace

bool ChatLoop::attach(const std::vector<DroppedFile>& files) {
  try {
    std::vector<AttachedMedia> attached;
    for (const DroppedFile& file : files) {
      if (state_.media.size() + state_.waiting.size() + attached.size() == kMostMedia) {
        throw Error(
            "more than {} pictures, sounds, videos and documents in a conversation; /clear begins "
            "another",
            kMostMedia);
      }
      static_cast<void>(towers_for(file.kind));  // before the file is read
      attached.push_back(MediaDesk::open(file.path, file.kind));
      attached.back().pages.pages = file.pages;
      if (is_pdf(attached.back())) attached.back().pages.as = state_.pages_as;
      read(attached.back());
    }
    for (AttachedMedia& media : attached) state_.waiting.push_back(std::move(media));
    return true;
  } catch (const Interrupted&) {
    note("[stopped: nothing was attached]");
  } catch (const Error& error) {
    note(error.what());
  }
  return false;
}

void ChatLoop::show(LineReader& reader, const AttachWish& wish) {
  InterruptGuard::clear();
  auto [path, question] = take_path(wish.typed, environment_.home);
  std::string pages;
  if (wish.kind == ShownMedia::Kind::document) {
    // A question about a text may begin with a number.
    if (auto taken = take_pages(question); taken.second.empty() || is_pdf(path)) {
      std::tie(pages, question) = std::move(taken);
    }
  }
  std::vector<DroppedFile> files = {{path, wish.kind, pages}};
  // "/image a.png b.png": a question is seldom the name of a picture here.
  while (pages.empty() && files.size() <= kMostMedia) {
    auto [next, rest] = take_path(question, environment_.home);
    if (question.empty() || kind_of_file(next) != wish.kind) break;
    files.push_back({std::move(next), wish.kind});
    question = std::move(rest);
  }
  if (!attach(files)) return;
  if (!question.empty()) return send(reader, question);
  note_waiting();
}

void ChatLoop::note_waiting() {
  read_media();
  std::string names;
  for (const AttachedMedia& media : state_.waiting) names += media_text(media) + "\n";
  note(fmt::format("{}[with your next message; /{} undo takes {} back]", names,
                   media_word(state_.waiting.back().kind),
                   state_.waiting.size() == 1 ? "it" : "the last one"));
}

}  // namespace pleiad::apps
