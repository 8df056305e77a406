#include "engine/media/media_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace pleiad {
namespace {

using Kind = ShownMedia::Kind;

// That have a token which stands for one.
constexpr std::array kKinds = {Kind::picture, Kind::sound, Kind::video};

constexpr std::string_view kApart = "\n\n";

/// Which part of which medium has a number, as they are counted throughout the request.
class PartNumbers {
 public:
  explicit PartNumbers(std::span<const ShownMedia> media) {
    for (const ShownMedia& medium : media) {
      firsts_.push_back(n_);
      n_ += static_cast<int>(medium.parts.size());
    }
  }

  int first(std::size_t medium) const { return firsts_[medium]; }
  std::pair<int, int> find(int number) const {
    CHECK(number >= 0 && number < n_, "part {} of {}", number, n_);
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
    const auto medium = static_cast<int>(after - firsts_.begin()) - 1;
    return {medium, number - firsts_[static_cast<std::size_t>(medium)]};
  }

 private:
  std::vector<int> firsts_;  // by medium
  int n_ = 0;
};

text::Tag tag_of(const ShownMedia& medium, const ShownMedia::Part& part) {
  if (part.sound) return text::Tag::audio;
  return medium.kind == Kind::video ? text::Tag::video : text::Tag::image;
}

MediaTokens tokens_of(const PromptTowers& towers, Kind kind, const ShownMedia::Part& part) {
  if (part.sound) return towers.audio.tokens;
  MediaTokens tokens = towers.vision.tokens;
  if (kind == Kind::video) tokens.soft = towers.vision.video;
  return tokens;
}

std::optional<Kind> kind_of(text::ContentPart::Kind kind) {
  switch (kind) {
    case text::ContentPart::Kind::image:
      return Kind::picture;
    case text::ContentPart::Kind::audio:
      return Kind::sound;
    case text::ContentPart::Kind::video:
      return Kind::video;
    case text::ContentPart::Kind::document:
      return Kind::document;
    case text::ContentPart::Kind::text:
      break;
  }
  return std::nullopt;
}

/// Behind a text that a document has to stand apart from.
bool ends_in_a_line(const text::Prompt& prompt) {
  return !prompt.empty() && !prompt.segments().back().is_control &&
         !prompt.segments().back().text.ends_with('\n');
}

void add_clips(ShownMedia& shown, std::span<const std::shared_ptr<const SoundInput>> clips,
               const AudioPrompt& audio) {
  for (const auto& clip : clips) {
    const std::int64_t n = audio.soft_tokens(std::ssize(clip->samples));
    shown.parts.push_back({.before = {}, .n = n, .picture = nullptr, .sound = clip});
  }
}

std::int64_t soft_tokens_of(const PictureInput& picture, const VisionPrompt& vision) {
  return std::int64_t{picture.width / vision.soft_token_side} *
         (picture.height / vision.soft_token_side);
}

}  // namespace

std::int64_t ShownMedia::n_soft_tokens() const {
  std::int64_t n = 0;
  for (const Part& part : parts) n += part.n;
  return n;
}

text::Prompt text_of(const ShownMedia& media) {
  text::Prompt texts;
  for (const ShownMedia::Part& part : media.parts) texts.add_text(part.before);
  return texts;
}

ShownMedia shown_picture(std::shared_ptr<const PictureInput> picture, const VisionPrompt& vision) {
  ShownMedia shown;
  const std::int64_t n = soft_tokens_of(*picture, vision);
  shown.parts.push_back({.before = {}, .n = n, .picture = std::move(picture), .sound = nullptr});
  return shown;
}

ShownMedia shown_sound(std::span<const std::shared_ptr<const SoundInput>> clips,
                       const AudioPrompt& audio) {
  ShownMedia shown;
  shown.kind = Kind::sound;
  add_clips(shown, clips, audio);
  return shown;
}

ShownMedia shown_video(std::span<const ShownFrame> frames, const VisionPrompt& vision,
                       std::span<const std::shared_ptr<const SoundInput>> clips,
                       const AudioPrompt& audio) {
  ShownMedia shown;
  shown.kind = Kind::video;
  for (const ShownFrame& frame : frames) {
    shown.parts.push_back(
        {.before = fmt::format("{}{} ", shown.parts.empty() ? "" : " ", frame_time(frame.seconds)),
         .n = soft_tokens_of(*frame.picture, vision),
         .picture = frame.picture,
         .sound = nullptr});
  }
  add_clips(shown, clips, audio);
  return shown;
}

std::string frame_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(seconds, 0.0));
  return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

std::string_view singular(ShownMedia::Kind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"a picture", "a sound", "a video",
                                                      "a document"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view plural(ShownMedia::Kind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"pictures", "sounds", "videos", "documents"};
  return kWords[static_cast<std::size_t>(kind)];
}

text::Tag placeholder(ShownMedia::Kind kind) {
  constexpr std::array kTags = {text::Tag::image, text::Tag::audio, text::Tag::video};
  CHECK(static_cast<std::size_t>(kind) < kTags.size());
  return kTags[static_cast<std::size_t>(kind)];
}

std::string problem_with(const PromptTowers& towers, ShownMedia::Kind kind) {
  if (kind == Kind::document) return "";  // one with pictures needs a tower for them
  if (kind == Kind::sound) return towers.audio.problem;
  if (kind == Kind::picture || !towers.vision.sees()) return towers.vision.problem;
  return towers.vision.watches() ? "" : "names no token for the frames of videos";
}

std::optional<std::string> chat_media_error(
    const text::ChatInput& chat, std::span<const ShownMedia::Kind> kinds,
    const std::function<std::string(std::size_t media)>& field_of) {
  for (const text::MediaPlace& place : text::media_places(chat)) {
    const Kind kind = *kind_of(place.part->kind);
    const auto index = static_cast<std::size_t>(place.part->media);
    if (place.part->media < 0 || index >= kinds.size()) {
      return fmt::format("{}: {} without its bytes", place.path, singular(kind));
    }
    if (kinds[index] != kind) {
      return fmt::format("{}: expected {}, found {}", place.path, singular(kind),
                         singular(kinds[index]));
    }
    const std::string& role = chat.messages[place.message].role;
    if (place.message == 0 && (role == "system" || role == "developer")) {
      return fmt::format(
          "{}: the models' template has no place for {} in the system message; give them with a "
          "message of the user's",
          field_of ? field_of(index) : place.path, plural(kind));
    }
  }
  return std::nullopt;
}

text::Prompt with_parts(const text::Prompt& prompt, std::span<const ShownMedia> media) {
  const PartNumbers numbers(media);
  text::Prompt out;
  bool is_after_document = false;
  for (const text::Prompt::Segment& segment : prompt.segments()) {
    const bool comes_apart = std::exchange(is_after_document, false);
    if (segment.media < 0) {
      if (comes_apart && !segment.is_control) out.add_text(kApart);
      out.append(segment);
      continue;
    }
    const auto index = static_cast<std::size_t>(segment.media);
    CHECK(index < media.size(), "medium {} of {}", index, media.size());
    const ShownMedia& medium = media[index];
    is_after_document = medium.kind == Kind::document;
    if (comes_apart || (is_after_document && ends_in_a_line(out))) out.add_text(kApart);
    int number = numbers.first(index);
    for (const ShownMedia::Part& part : medium.parts) {
      out.add_text(part.before);
      if (part.picture || part.sound) out.add_media(tag_of(medium, part), number);
      ++number;
    }
  }
  return out;
}

MediaPrompt expand_media(text::Encoding encoding, const PromptTowers& towers,
                         std::span<const ShownMedia> media) {
  MediaPrompt prompt;
  if (encoding.media.empty()) {
    prompt.encoding = std::move(encoding);
    return prompt;
  }
  const PartNumbers numbers(media);
  const auto part_of = [&](std::pair<int, int> place) -> const ShownMedia::Part& {
    return media[static_cast<std::size_t>(place.first)]
        .parts[static_cast<std::size_t>(place.second)];
  };
  std::size_t n_expanded = encoding.tokens.size();
  for (const text::EncodedMedia& place : encoding.media) {
    n_expanded += static_cast<std::size_t>(part_of(numbers.find(place.media)).n) + 1;
  }
  std::vector<text::TokenId>& out = prompt.encoding.tokens;
  out.reserve(n_expanded);
  auto from = encoding.tokens.cbegin();
  for (const text::EncodedMedia& place : encoding.media) {
    const auto at = encoding.tokens.cbegin() + static_cast<std::ptrdiff_t>(place.at);
    out.insert(out.end(), from, at);
    from = at + 1;
    const auto number = numbers.find(place.media);
    const ShownMedia::Part& part = part_of(number);
    const MediaTokens tokens =
        tokens_of(towers, media[static_cast<std::size_t>(number.first)].kind, part);
    out.push_back(tokens.begin);
    prompt.spans.push_back(
        {number.first, number.second, static_cast<std::int64_t>(out.size()), part.n});
    out.insert(out.end(), static_cast<std::size_t>(part.n), tokens.soft);
    out.push_back(tokens.end);
  }
  out.insert(out.end(), from, encoding.tokens.cend());
  prompt.encoding.whole = encoding.whole;
  prompt.encoding.least_count = encoding.least_count + (out.size() - encoding.tokens.size());
  return prompt;
}

std::vector<SpelledMedia> find_spelled_media(std::string_view text,
                                             const text::Vocabulary& vocabulary) {
  std::vector<SpelledMedia> found;
  for (std::size_t at = text.find("<|"); at != std::string_view::npos;
       at = text.find("<|", at + 1)) {
    for (const Kind kind : kKinds) {
      const text::Tag tag = placeholder(kind);
      if (text.substr(at).starts_with(text::tag_text(tag)) && vocabulary.tag(tag)) {
        found.push_back({at, kind});
      }
    }
  }
  return found;
}

SpelledParts with_parts(std::string_view text, std::span<const SpelledMedia> places,
                        std::span<const ShownMedia> media) {
  const PartNumbers numbers(media);
  std::array<std::size_t, kKinds.size()> next = {};  // medium of a kind
  SpelledParts spelled;
  std::size_t from = 0;
  for (const SpelledMedia& place : places) {
    std::size_t& medium = next[static_cast<std::size_t>(place.kind)];
    while (medium < media.size() && media[medium].kind != place.kind) ++medium;
    CHECK(medium < media.size(), "the text has more than {}", plural(place.kind));
    spelled.text += text.substr(from, place.at - from);
    from = place.at + text::tag_text(placeholder(place.kind)).size();
    int number = numbers.first(medium);
    for (const ShownMedia::Part& part : media[medium].parts) {
      spelled.text += part.before;
      spelled.text += text::tag_text(tag_of(media[medium], part));
      spelled.parts.push_back(number++);
    }
    ++medium;
  }
  spelled.text += text.substr(from);
  return spelled;
}

void mark_spelled_media(text::Encoding& encoding, const text::Vocabulary& vocabulary,
                        std::span<const int> parts) {
  std::array<std::optional<text::TokenId>, kKinds.size()> placeholders;
  for (const Kind kind : kKinds) {
    placeholders[static_cast<std::size_t>(kind)] = vocabulary.tag(placeholder(kind));
  }
  auto part = parts.begin();
  for (std::size_t i = 0; i < encoding.tokens.size() && part != parts.end(); ++i) {
    const auto is_it = [&](std::optional<text::TokenId> tag) { return tag == encoding.tokens[i]; };
    if (std::none_of(placeholders.begin(), placeholders.end(), is_it)) continue;
    encoding.tokens[i] = text::kMediaToken;
    encoding.media.push_back({.at = i, .media = *part++});
  }
}

std::vector<PromptMedia> prompt_media(std::span<const MediaSpan> spans,
                                      std::span<const ShownMedia> media) {
  std::vector<PromptMedia> found;
  found.reserve(spans.size());
  for (const MediaSpan& span : spans) {
    const ShownMedia::Part& part =
        media[static_cast<std::size_t>(span.media)].parts[static_cast<std::size_t>(span.part)];
    found.push_back({span.first, span.n, part.picture, part.sound});
  }
  return found;
}

}  // namespace pleiad
