#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/media/prompt_media.h"
#include "engine/media/prompt_towers.h"
#include "text/chat_input.h"
#include "text/encode_limit.h"
#include "text/prompt.h"
#include "text/vocabulary.h"

namespace pleiad {

/// One of a request's media, as a model is given it.
struct ShownMedia {
  enum class Kind : std::uint8_t { picture, sound, video, document };
  /// A text, and what may follow it: a run of soft tokens.
  struct Part {
    std::string before;  // when a frame is, a page's text
    std::int64_t n = 0;  // soft tokens
    // One of both at most; none: the text is all.
    std::shared_ptr<const PictureInput> picture = nullptr;
    std::shared_ptr<const SoundInput> sound = nullptr;
  };
  Kind kind = Kind::picture;
  /// A picture; the clips of a sound; a video's frames, then its sound's clips; a document's pages.
  std::vector<Part> parts;

  std::int64_t n_soft_tokens() const;
};

/// The texts of its parts, as they stand in a prompt, without what is seen or heard.
text::Prompt text_of(const ShownMedia& media);

/// A frame of a video, and when it is.
struct ShownFrame {
  double seconds = 0;
  std::shared_ptr<const PictureInput> picture;
};

ShownMedia shown_picture(std::shared_ptr<const PictureInput> picture, const VisionPrompt& vision);
ShownMedia shown_sound(std::span<const std::shared_ptr<const SoundInput>> clips,
                       const AudioPrompt& audio);
/// `clips`: of its sound, which is heard after the last frame; may be empty.
ShownMedia shown_video(std::span<const ShownFrame> frames, const VisionPrompt& vision,
                       std::span<const std::shared_ptr<const SoundInput>> clips = {},
                       const AudioPrompt& audio = {});

/// "02:07": minutes, which do not wrap, and seconds, both without their fractions.
std::string frame_time(double seconds);

/// "a picture", "pictures", <|image|>: how media of a kind are called and spelled (documents are
/// not: a CHECK).
std::string_view singular(ShownMedia::Kind kind);
std::string_view plural(ShownMedia::Kind kind);
text::Tag placeholder(ShownMedia::Kind kind);

/// Why media of a kind cannot be shown, which follows the model's name; empty where they can.
std::string problem_with(const PromptTowers& towers, ShownMedia::Kind kind);

/// Where the soft tokens of a part stand in a prompt.
struct MediaSpan {
  int media = 0;           // which of the request's media
  int part = 0;            // which of its parts
  std::int64_t first = 0;  // position of the first soft token
  std::int64_t n = 0;      // soft tokens

  bool operator==(const MediaSpan&) const = default;
};

/// A prompt as the model is given it.
struct MediaPrompt {
  text::Encoding encoding;       // without kMediaToken; `media` is empty
  std::vector<MediaSpan> spans;  // ascending; one medium may stand in several places
};

/// What is wrong with the media of a chat, beginning with the field; empty where each is one of the
/// request's media (which are of these kinds) and stands where the template prints it. `field_of`
/// (may be empty) names one as whoever sent it does; else it is named by its place in the chat.
std::optional<std::string> chat_media_error(
    const text::ChatInput& chat, std::span<const ShownMedia::Kind> kinds,
    const std::function<std::string(std::size_t media)>& field_of = {});

/// The prompt with a place for every part of each medium, as they are numbered throughout the
/// request, and their texts: what stands around a frame's time is tokenized with it. A document
/// stands apart from the texts around.
text::Prompt with_parts(const text::Prompt& prompt, std::span<const ShownMedia> media);

/// Puts the tokens of each part in its place. The encoding of a prompt with_parts(), or of a text
/// that mark_spelled_media() has marked; it names no other part (a CHECK). A prompt that is not
/// whole is expanded as far as it goes.
MediaPrompt expand_media(text::Encoding encoding, const PromptTowers& towers,
                         std::span<const ShownMedia> media);

/// In a text whose control tokens count <|image|>, <|audio|> and <|video|> stand for media, as far
/// as the vocabulary has them.
struct SpelledMedia {
  std::size_t at = 0;  // of its first byte
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
};
std::vector<SpelledMedia> find_spelled_media(std::string_view text,
                                             const text::Vocabulary& vocabulary);

/// Such a text with a placeholder for every part, and which part each stands for, in order.
struct SpelledParts {
  std::string text;
  std::vector<int> parts;
};
/// The next medium of its kind stands in each place; there is one (a CHECK).
SpelledParts with_parts(std::string_view text, std::span<const SpelledMedia> places,
                        std::span<const ShownMedia> media);
/// In the encoding of that text: marks them as a prompt's would be.
void mark_spelled_media(text::Encoding& encoding, const text::Vocabulary& vocabulary,
                        std::span<const int> parts);

/// What the engine is given of it.
std::vector<PromptMedia> prompt_media(std::span<const MediaSpan> spans,
                                      std::span<const ShownMedia> media);

}  // namespace pleiad
