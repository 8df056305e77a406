#include "serving/media/prepare_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/text_format.h"
#include "media/budget.h"
#include "serving/media/check_towers.h"
#include "serving/media/reading_problem.h"
#include "serving/media/show_document.h"
#include "serving/media/show_media.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

/// What a checkpoint names may be none of those that pictures are prepared for.
int known_budget(int wanted) {
  int known = media::kBudgets.front();
  for (const int budget : media::kBudgets) {
    if (budget <= wanted) known = budget;
  }
  return known;
}

media::MediaKind media_kind(MediaKind kind) {
  switch (kind) {
    case MediaKind::sound:
      return media::MediaKind::sound;
    case MediaKind::video:
      return media::MediaKind::video;
    case MediaKind::document:
      return media::MediaKind::document;
    case MediaKind::picture:
      break;
  }
  return media::MediaKind::picture;
}

std::uint64_t content_bytes(const ShownMedia& shown) {
  std::uint64_t bytes = 0;
  for (const ShownMedia::Part& part : shown.parts) {
    if (part.picture) bytes += part.picture->rgb.size();
    if (part.sound) bytes += part.sound->samples.size() * sizeof(float);
    bytes += part.before.size();
  }
  return bytes;
}

class MediaPreparer {
 public:
  MediaPreparer(const AnswerRequest& request, const PromptTowers& towers, const MediaTools& tools,
                const std::function<bool()>& stop)
      : request_(request), towers_(towers), tools_(tools), stop_(stop) {
    hold_.picture = [this](media::Pixels pixels) { return hold_picture(std::move(pixels)); };
    hold_.sound = [this](std::vector<float> samples) { return hold_sound(std::move(samples)); };
  }

  std::optional<std::vector<std::shared_ptr<const PreparedMedia>>> prepare(
      const std::function<void()>& again) {
    std::vector<std::shared_ptr<const PreparedMedia>> prepared;
    prepared.reserve(request_.media.size());
    for (const MediaPart& part : request_.media) {
      auto media = prepared_of(part, again);
      if (!media) return std::nullopt;
      prepared.push_back(std::move(media));
      n_bytes_ += content_bytes(prepared.back()->shown);
      if (n_bytes_ > tools_.most_bytes) refuse_amount(part);
    }
    return prepared;
  }

 private:
  bool gives_up() const { return stop_ && stop_(); }
  bool is_late() const { return monotonic_seconds() > end_; }
  std::function<bool()> stop() const {
    return [this] { return gives_up() || is_late(); };
  }

  [[noreturn]] void refuse_amount(const MediaPart& part) const {
    constexpr std::uint64_t kBytesOfSoftToken =
        std::uint64_t{media::kSoftTokenSide} * media::kSoftTokenSide * 3;
    if (part.kind == MediaKind::sound || part.kind == MediaKind::document) {
      refuse_part(part, fmt::format("with {} the media of the request have more than the {} of "
                                    "pixels, samples and text that one request may have",
                                    part.kind == MediaKind::sound ? "this sound" : "this document",
                                    format_bytes(tools_.most_bytes)));
    }
    refuse_part(part, fmt::format("with this {} those of the request have more than the {} soft "
                                  "tokens that one request may have; give fewer, or a smaller "
                                  "max_soft_tokens",
                                  singular(part.kind).substr(2),
                                  format_count(tools_.most_bytes / kBytesOfSoftToken)));
  }

  /// Null where another answer makes it.
  std::shared_ptr<const PreparedMedia> prepared_of(const MediaPart& part,
                                                   const std::function<void()>& again) {
    PreparedOnce& once = *part.prepared;
    PreparedOnce::Found found = once.find(again);
    if (!found.is_mine) return std::move(found.media);
    try {
      found.media = prepare(part);
    } catch (...) {
      // That nobody waits for this answer is no failure of the others.
      gives_up() ? once.give_up() : once.fail(std::current_exception());
      throw;
    }
    once.finish(found.media);
    return std::move(found.media);
  }

  std::shared_ptr<const PreparedMedia> prepare(const MediaPart& part) {
    const std::string fetched = part.bytes ? std::string() : fetch(part);
    const std::string& bytes = part.bytes ? *part.bytes : fetched;
    auto media = std::make_shared<PreparedMedia>();
    media->use.kind = part.kind;
    clips_wait_ = part.clip.has_value();
    switch (part.kind) {
      case MediaKind::picture:
        prepare_picture(part, bytes, *media);
        break;
      case MediaKind::sound:
        prepare_sound(part, bytes, *media);
        break;
      case MediaKind::video:
        prepare_video(part, bytes, *media);
        break;
      case MediaKind::document:
        read_document(part, bytes, *media);
        break;
    }
    media->use.tokens = media->shown.n_soft_tokens();
    return media;
  }

  media::PictureOptions options_of(const MediaPart& part) const {
    if (part.budget || part.automatic) return {part.budget};
    if (request_.media_budget || request_.media_automatic) return {request_.media_budget};
    return {known_budget(towers_.vision.default_budget)};
  }

  void prepare_picture(const MediaPart& part, const std::string& bytes, PreparedMedia& media) {
    auto picture = read(part, bytes, tools_.prepare_picture, options_of(part));
    check_side(part, picture.pixels.size);
    media.use.original = picture.original;
    media.use.shown = picture.pixels.size;
    media.use.budget = picture.budget;
    media.shown = show(std::move(picture), towers_.vision, hold_);
  }

  void prepare_sound(const MediaPart& part, const std::string& bytes, PreparedMedia& media) {
    auto sound = read(part, bytes, tools_.prepare_sound, media::SoundOptions{});
    const std::int64_t n_samples = std::ssize(sound.samples);
    media.use.seconds = sound.seconds;
    media.shown = show(std::move(sound), towers_.audio, hold_);
    if (media.shown.parts.empty()) {
      refuse_part(part, fmt::format("is too short to be heard: it has {} samples at 16 kHz, and "
                                    "{} give a token",
                                    n_samples, towers_.audio.tower.min_samples));
    }
    media.use.clips = std::ssize(media.shown.parts);
    media.use.clip_seconds =
        static_cast<double>(towers_.audio.tower.max_samples) / media::kSoundRate;
    note_unheard(part, n_samples, media);
  }

  void prepare_video(const MediaPart& part, const std::string& bytes, PreparedMedia& media) {
    media::VideoOptions options;
    const std::optional<int> frames = part.frames ? part.frames : request_.media_frames;
    options.n_frames = frames.value_or(towers_.vision.video_frames);
    options.budget = part.budget.value_or(known_budget(towers_.vision.video_budget));
    options.sound = is_heard(request_, part);
    auto video = read(part, bytes, tools_.prepare_video, options);
    check_side(part, video.frames.front().pixels.size);
    media.use.original = video.original;
    media.use.shown = video.frames.front().pixels.size;
    media.use.budget = video.budget;
    media.use.seconds = video.seconds;
    media.use.frames = std::ssize(video.frames);
    media.use.total_frames = video.total_frames;
    if (frames && media.use.frames < *frames) {
      media.warnings.push_back(fmt::format("{}: has {} frames, and all of them are shown",
                                           part.field, media.use.frames));
    }
    if (options.sound && !video.sound) {
      media.warnings.push_back(fmt::format("{}: has no sound to be heard", part.field));
    }
    if (video.sound) note_unheard(part, std::ssize(video.sound->samples), media);
    media.shown = show(std::move(video), towers_, hold_);
    media.use.clips = std::ssize(media.shown.parts) - media.use.frames;
  }

  void read_document(const MediaPart& part, const std::string& bytes, PreparedMedia& media) {
    if (part.name.size() > kMostNameBytes) {
      refuse_part(part, fmt::format("has a name of {} bytes; expected at most {}",
                                    format_count(part.name.size()), format_count(kMostNameBytes)));
    }
    media::DocumentOptions options;
    options.pages = part.pages;
    options.pages_as = part.pages_as;
    if (part.budget || part.automatic) {
      options.budget = part.budget;
    } else if (request_.media_budget || request_.media_automatic) {
      options.budget = request_.media_budget;
    }
    auto document = read(part, bytes, read_named(part.name), options);
    std::uint64_t text_bytes = 0;
    media.has_pages = document.has_pages;
    for (const media::DocumentPage& page : document.pages) {
      text_bytes += page.text.size() * (part.tells_text ? 2 : 1);
      if (part.tells_text && !page.text.empty()) {
        media.told.push_back({page.number, page.text, std::nullopt});
      }
      if (!page.picture) continue;
      if (!towers_.vision.sees()) {
        refuse_tower(request_, part,
                     fmt::format("has no vision tower that can be used, and page {} has no text: "
                                 "it would be shown as a picture",
                                 page.number),
                     towers_.vision.problem);
      }
      check_side(part, page.picture->pixels.size);
      ++media.use.picture_pages;
      media.use.budget = std::max(media.use.budget, page.picture->budget);
    }
    media.text_hold =
        held(Waiting<char>::hold(tools_.waiting, request_.caller, text_bytes, [] { return '\0'; }));
    media.use.pages = std::ssize(document.pages);
    media.use.total_pages = document.n_pages;
    for (const std::string& warning : document.warnings) {
      media.warnings.push_back(fmt::format("{}: {}", part.field, warning));
    }
    media.shown = show_document(std::move(document), part.name, towers_.vision, hold_);
  }

  Prepare<media::Document, media::DocumentOptions> read_named(const std::string& name) const {
    if (!tools_.read_document) return {};
    return [this, &name](auto bytes, const auto& options, const auto& stop) {
      return tools_.read_document(bytes, name, options, stop);
    };
  }

  /// That nothing can be read here is no fault of this medium.
  template <typename Prepared, typename Options>
  Prepared read(const MediaPart& part, const std::string& bytes,
                const Prepare<Prepared, Options>& reads, const Options& options) const {
    if (!reads) refuse_part(part, fmt::format("this server reads no {}", plural(part.kind)));
    Result<Prepared> prepared = [&] {
      try {
        return reads(std::as_bytes(std::span(bytes)), options, stop());
      } catch (const Error& error) {
        throw RequestError(reading_problem(part, error));
      }
    }();
    check_time(part);
    if (!prepared) refuse_part(part, prepared.message());
    return std::move(prepared).value();
  }

  void check_side(const MediaPart& part, const media::PictureSize& size) const {
    if (std::max(size.width, size.height) <= towers_.vision.longest_side) return;
    refuse_part(part, fmt::format("is shown as {} x {} pixels, and the model sees {} on a side at "
                                  "most; give a smaller max_soft_tokens",
                                  size.width, size.height, towers_.vision.longest_side));
  }

  void note_unheard(const MediaPart& part, std::int64_t n_samples, PreparedMedia& media) const {
    const std::int64_t n = unheard_samples(n_samples, towers_.audio);
    if (n == 0) return;
    media.warnings.push_back(
        fmt::format("{}: the last {:.1f} ms of its sound are not heard: they are too short for a "
                    "token",
                    part.field, 1000.0 * static_cast<double>(n) / media::kSoundRate));
  }

  std::shared_ptr<const PictureInput> hold_picture(media::Pixels pixels) const {
    const std::uint64_t bytes = pixels.rgb.size();
    return held(Waiting<PictureInput>::hold(tools_.waiting, request_.caller, bytes, [&] {
      return make_picture_input(pixels.size.width, pixels.size.height, std::move(pixels.rgb));
    }));
  }
  std::shared_ptr<const SoundInput> hold_sound(std::vector<float> samples) const {
    const std::uint64_t bytes = samples.size() * sizeof(float);
    return held(Waiting<SoundInput>::hold(
        tools_.waiting, request_.caller, bytes,
        [&] { return make_sound_input(std::move(samples)); },
        clips_wait_ ? Stay::lasting : Stay::brief));
  }
  template <typename Content>
  static std::shared_ptr<const Content> held(std::shared_ptr<const Content> content) {
    if (!content) throw RequestError(busy_error());
    return content;
  }

  void check_time(const MediaPart& part) const {
    if (gives_up()) throw Error("nobody waits for the media any more");
    if (!is_late()) return;
    refuse_part(part, fmt::format("reading the media of this request takes longer than {:.0f} s",
                                  tools_.seconds));
  }

  std::string fetch(const MediaPart& part) {
    if (!tools_.fetcher) {
      refuse_part(part, fmt::format("{} are not fetched from other servers, unless this one is "
                                    "started with --media-hosts; send the {} itself, in base64",
                                    plural(part.kind), singular(part.kind).substr(2)));
    }
    Result<std::string> bytes = tools_.fetcher->fetch(part.url, media_kind(part.kind), stop());
    check_time(part);
    if (!bytes) refuse_part(part, bytes.message());
    n_fetched_bytes_ += bytes.value().size();
    if (n_fetched_bytes_ > kMostMediaBytes) {
      refuse_part(part, fmt::format("what is fetched for one request has {} at most",
                                    format_bytes(kMostMediaBytes)));
    }
    return std::move(bytes).value();
  }

  const AnswerRequest& request_;
  const PromptTowers& towers_;
  const MediaTools& tools_;
  const std::function<bool()>& stop_;
  const double end_ = monotonic_seconds() + tools_.seconds;
  MediaHold hold_;
  bool clips_wait_ = false;    // of the part that is read: each for an answer of its own
  std::uint64_t n_bytes_ = 0;  // of pixels, samples and text
  std::uint64_t n_fetched_bytes_ = 0;
};

}  // namespace

std::vector<ShownMedia> shown_of(const AnswerRequest& request,
                                 std::span<const std::shared_ptr<const PreparedMedia>> prepared) {
  std::vector<ShownMedia> shown;
  shown.reserve(prepared.size());
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    shown.push_back(prepared[i]->shown);
    const MediaPart& part = request.media[i];
    if (!part.clip) continue;
    std::vector<ShownMedia::Part>& parts = shown.back().parts;
    if (*part.clip >= parts.size()) refuse_part(part, "has fewer clips");
    parts = {parts[*part.clip]};
  }
  return shown;
}

std::optional<std::vector<std::shared_ptr<const PreparedMedia>>> prepare_media(
    const AnswerRequest& request, const PromptTowers& towers, const MediaTools& tools,
    const std::function<bool()>& stop, const std::function<void()>& again) {
  if (request.media.empty()) return std::vector<std::shared_ptr<const PreparedMedia>>();
  check_towers(request, towers);
  if (request.media.size() > kMostMedia) {
    refuse_part(
        request.media[kMostMedia],
        fmt::format("one request may have {} pictures, sounds, videos and documents at most",
                    kMostMedia));
  }
  return MediaPreparer(request, towers, tools, stop).prepare(again);
}

}  // namespace pleiad::serving
