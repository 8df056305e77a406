#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/run/media/attached_media.h"

namespace pleiad::apps {

/// What one --image, --audio, --video or --file names; "-": the standard input.
struct MediaFlag {
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
  std::string path;
  PageWishes pages = {};  // of a document
};

/// "--image", "--audio", "--video", "--file".
std::string_view media_flag(ShownMedia::Kind kind);

/// The media of a command line, in the order given. --pages and --pages-as are of the --file before
/// them; where they stand before all, of the only one.
class MediaFlags {
 public:
  void add(ShownMedia::Kind kind, const std::string& path);
  /// A Failure says what was expected and what was found, or that the file has some already.
  Result<bool> set_pages(const std::string& pages);
  Result<bool> set_pages_as(const std::string& word);

  /// Throws UsageError where pages were given, and no file that they are of can be told.
  std::vector<MediaFlag> all() const;

 private:
  /// One of both, as it was given.
  struct Given {
    std::optional<std::string> pages;
    std::optional<PageWishes::PagesAs> as;
  };
  Given& last();

  std::vector<MediaFlag> media_;
  std::vector<Given> given_;  // with each of `media_`
  Given early_;               // before any file
};

/// Throws UsageError where they are too many, or where the input cannot be one of them:
/// `has_prompt`, the prompt is an argument and nothing else is read.
void check_media(const std::vector<MediaFlag>& media, bool has_prompt);

/// Throws UsageError where a word of the prompt is a picture, sound, video or document here that no
/// flag names, as behind `--image *.png`: it would be a text that the model reads.
void check_prompt_words(const std::vector<std::string>& words, const std::vector<MediaFlag>& media,
                        const std::filesystem::path& home);

/// The files, before a model is found and loaded: what is missing, or nothing of that kind, is told
/// at once. Throws Error that names it, and UsageError where pages are wanted of what has none.
std::vector<AttachedMedia> open_media(const std::vector<MediaFlag>& media,
                                      const std::filesystem::path& home);

}  // namespace pleiad::apps
