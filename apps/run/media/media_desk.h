#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/run/media/attached_media.h"
#include "engine/media/prompt_towers.h"
#include "serving/media/media_tools.h"

namespace pleiad::apps {

/// Bytes of a file, and media of a conversation, at most: of pictures and documents what a server
/// takes too.
inline constexpr std::size_t kLargestPicture = std::size_t{64} << 20;
inline constexpr std::size_t kLargestStream = std::size_t{512} << 20;
inline constexpr std::size_t kLargestDocument = std::size_t{64} << 20;
inline constexpr std::size_t kMostMedia = 100;

/// Of the file of a medium of that kind.
std::size_t most_bytes(ShownMedia::Kind kind);

/// Where media are read for a conversation.
class MediaDesk {
 public:
  struct Readers {
    serving::PreparePicture picture;
    serving::PrepareSound sound;
    serving::PrepareVideo video;
    serving::ReadDocument document;
  };
  explicit MediaDesk(Readers readers) : readers_(std::move(readers)) {}

  using Kind = ShownMedia::Kind;

  /// What is in a file, or comes from the standard input, not read yet: any file will do. Throws
  /// Error that names it.
  static AttachedMedia open(const std::filesystem::path& path, Kind kind = Kind::picture);
  static AttachedMedia open_input(Kind kind = Kind::picture);

  /// Makes of it what a model with these towers sees, hears or reads; nothing where that was done
  /// before. Returns what is to be told, a sentence or more, or nothing. Throws Error that names
  /// the medium, or Interrupted after Ctrl-C.
  std::string read(AttachedMedia& media, const MediaWishes& wishes,
                   const PromptTowers& towers) const;

 private:
  void read_picture(AttachedMedia& picture, const PictureBudget& budget,
                    const PromptTowers& towers) const;
  std::string read_sound(AttachedMedia& sound, const PromptTowers& towers) const;
  std::string read_video(AttachedMedia& video, const MediaWishes& wishes,
                         const PromptTowers& towers) const;
  std::string read_document(AttachedMedia& document, const PictureBudget& budget,
                            const PromptTowers& towers) const;

  Readers readers_;
};

}  // namespace pleiad::apps
