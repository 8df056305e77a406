#include "apps/run/media/media_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <span>
#include <utility>

#include "apps/common/interrupt.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/budget.h"
#include "media/documents/missing_programs.h"
#include "serving/media/media.h"
#include "serving/media/show_document.h"
#include "serving/media/show_media.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

/// All of it, also of a pipe. Throws Error where it is more than such a file may have.
std::string read_whole(std::istream& input, const std::string& name, ShownMedia::Kind kind) {
  const std::size_t largest = most_bytes(kind);
  std::string bytes;
  std::string piece(std::size_t{1} << 20, '\0');
  while (input.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         input.gcount() > 0) {
    bytes.append(piece, 0, static_cast<std::size_t>(input.gcount()));
    if (bytes.size() > largest) {
      throw Error("{}: more than {}, which is the most that the file of {} may have", name,
                  format_bytes(largest), singular(kind));
    }
  }
  if (input.bad()) throw Error("{}: cannot be read: {}", name, errno_text(errno));
  return bytes;
}

/// What a reader says; Ctrl-C ends it. What is wrong with this machine is told of the file, too.
template <typename Read>
auto taken(const AttachedMedia& media, const Read& read) {
  auto prepared = [&] {
    try {
      return read();
    } catch (const media::MissingPrograms& missing) {
      throw Error("{} {}", label(media), missing.what());
    } catch (const Error& error) {
      throw Error("{}: {}", label(media), error.what());
    }
  }();
  InterruptGuard::throw_if_pressed();
  if (!prepared) throw Error("{} {}", label(media), prepared.message());
  return std::move(prepared).value();
}

std::span<const std::byte> bytes_of(const AttachedMedia& media) {
  return std::as_bytes(std::span(*media.bytes));
}

/// The budget of a document whose pages have that of their size.
constexpr int kBySize = 0;

bool pressed() { return InterruptGuard::pressed(); }

/// The end of a sound that is in no clip.
std::string unheard_note(const AttachedMedia& media, const media::PreparedSound& sound,
                         const AudioPrompt& audio) {
  const std::int64_t n = serving::unheard_samples(std::ssize(sound.samples), audio);
  if (n == 0) return "";
  return fmt::format("{}: the last {:.1f} ms are too short to be heard", label(media),
                     1000.0 * static_cast<double>(n) / media::kSoundRate);
}

/// What was left out of a document, or guessed: a line each.
std::string warnings_text(const AttachedMedia& document, std::span<const std::string> warnings) {
  std::string text;
  for (const std::string& warning : warnings) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", label(document), warning);
  }
  return text;
}

/// What its pages that are pictures need. Throws Error that names one.
void check_pages(const AttachedMedia& document, std::span<const media::DocumentPage> pages,
                 const VisionPrompt& vision) {
  for (const media::DocumentPage& page : pages) {
    if (!page.picture) continue;
    if (!vision.sees()) {
      throw Error("{}: page {} would be shown as a picture, and the model sees none: it {}",
                  label(document), page.number, vision.problem);
    }
    const media::PictureSize& size = page.picture->pixels.size;
    if (vision.longest_side == 0) continue;  // a server knows
    if (std::max(size.width, size.height) <= vision.longest_side) continue;
    throw Error(
        "{}: page {} is shown as {} x {} pixels, and the model sees {} on a side at most; take "
        "fewer image-tokens",
        label(document), page.number, size.width, size.height, vision.longest_side);
  }
}

}  // namespace

std::size_t most_bytes(ShownMedia::Kind kind) {
  if (kind == ShownMedia::Kind::picture) return kLargestPicture;
  return kind == ShownMedia::Kind::document ? kLargestDocument : kLargestStream;
}

AttachedMedia MediaDesk::open_input(Kind kind) {
  AttachedMedia media;
  media.kind = kind;
  const std::string name = "the standard input";
  if (kind != Kind::document) media.name = name;  // a model is shown that of a document
  media.bytes = std::make_shared<const std::string>(read_whole(std::cin, name, kind));
  return media;
}

AttachedMedia MediaDesk::open(const fs::path& path, Kind kind) {
  AttachedMedia media;
  media.kind = kind;
  std::error_code error;
  const std::string name = printable(path.string(), std::string::npos);
  if (fs::is_directory(path, error)) {
    throw Error("{}: is a folder; expected the file of {}", name, singular(kind));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("{}: {}", name, errno_text(errno));
  media.name = path.filename().string();
  if (kind == Kind::document)  // as it is shown, and as a saved conversation may have it
    media.name = printable(media.name, serving::kMostNameBytes - 4);
  media.bytes = std::make_shared<const std::string>(read_whole(file, name, kind));
  return media;
}

std::string MediaDesk::read(AttachedMedia& media, const MediaWishes& wishes,
                            const PromptTowers& towers) const {
  if (media.kind == Kind::document) return read_document(media, wishes.picture_budget, towers);
  std::string note;
  if (media.kind == Kind::sound) {
    note = read_sound(media, towers);
  } else if (media.kind == Kind::video) {
    note = read_video(media, wishes, towers);
  } else {
    read_picture(media, wishes.picture_budget, towers);
  }
  media.use.kind = media.kind;
  media.use.tokens = media.shown.n_soft_tokens();
  return note;
}

void MediaDesk::read_picture(AttachedMedia& picture, const PictureBudget& budget,
                             const PromptTowers& towers) const {
  const media::PictureOptions options{.budget = budget.of_model(towers.vision.default_budget)};
  const int known = picture.use.budget;
  if (picture.is_read() && options.budget && *options.budget == known) return;
  if (picture.is_read() && !options.budget &&
      known == media::automatic_budget(picture.use.original)) {
    return;
  }
  auto made = taken(picture, [&] { return readers_.picture(bytes_of(picture), options, pressed); });
  picture.use.original = made.original;
  picture.use.shown = made.pixels.size;
  picture.use.budget = made.budget;
  picture.shown = serving::show(std::move(made), towers.vision, serving::plain_hold());
}

std::string MediaDesk::read_sound(AttachedMedia& sound, const PromptTowers& towers) const {
  if (sound.is_read()) return "";
  const auto made = taken(sound, [&] { return readers_.sound(bytes_of(sound), {}, pressed); });
  sound.shown = serving::show(made, towers.audio, serving::plain_hold());
  if (!sound.is_read()) throw Error("{} is too short to be heard", label(sound));
  sound.use.seconds = made.seconds;
  sound.use.clips = std::ssize(sound.shown.parts);
  return unheard_note(sound, made, towers.audio);
}

std::string MediaDesk::read_video(AttachedMedia& video, const MediaWishes& wishes,
                                  const PromptTowers& towers) const {
  MediaWishes now = wishes;
  now.picture_budget = {};  // that of pictures alone
  if (video.is_read() && video.shown_with == now) return "";
  media::VideoOptions options;
  options.n_frames = wishes.n_frames.value_or(towers.vision.video_frames);
  options.budget = towers.vision.video_budget;
  options.sound = wishes.video_sound;
  auto made = taken(video, [&] { return readers_.video(bytes_of(video), options, pressed); });
  video.use.original = made.original;
  video.use.shown = made.frames.front().pixels.size;
  video.use.budget = made.budget;
  video.use.seconds = made.seconds;
  video.use.frames = std::ssize(made.frames);
  video.use.total_frames = made.total_frames;
  std::string note;
  if (wishes.video_sound && !made.sound) {
    note = fmt::format("{}: has no sound to be heard", label(video));
  } else if (made.sound) {
    note = unheard_note(video, *made.sound, towers.audio);
  }
  video.shown = serving::show(std::move(made), towers, serving::plain_hold());
  video.use.clips = std::ssize(video.shown.parts) - video.use.frames;
  video.shown_with = now;
  return note;
}

std::string MediaDesk::read_document(AttachedMedia& document, const PictureBudget& budget,
                                     const PromptTowers& towers) const {
  media::DocumentOptions options;
  options.pages = document.pages.pages;
  options.pages_as = document.pages.as;
  for (const PictureBudget& said : {budget, document.pages.budget}) {
    if (said != PictureBudget()) options.budget = said.tokens;  // empty: by the page's size
  }
  const int wanted = options.budget.value_or(kBySize);
  const bool has_pictures = document.use.picture_pages > 0;
  if (document.is_read() && has_pictures && !towers.vision.sees()) {
    throw Error("{}: has pages that are shown as pictures, and the model sees none: it {}",
                label(document), towers.vision.problem);
  }
  if (document.is_read() && (!has_pictures || document.use.budget == wanted)) return "";
  auto made = taken(document, [&] {
    return readers_.document(bytes_of(document), document.name, options, pressed);
  });
  check_pages(document, made.pages, towers.vision);
  serving::MediaUse use;
  use.kind = Kind::document;
  use.budget = wanted;
  if (made.has_pages) {
    use.pages = std::ssize(made.pages);
    use.total_pages = made.n_pages;
    use.picture_pages = std::ranges::count_if(
        made.pages, [](const media::DocumentPage& page) { return page.picture.has_value(); });
  }
  const std::string note = warnings_text(document, made.warnings);
  document.shown =
      serving::show_document(std::move(made), document.name, towers.vision, serving::plain_hold());
  use.tokens = document.shown.n_soft_tokens();
  document.use = use;
  document.is_counted = false;
  return note;
}

}  // namespace pleiad::apps
