#include "apps/run/command_completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/run/chat_file.h"
#include "apps/run/media/dropped_paths.h"
#include "apps/run/media/media_command.h"
#include "apps/run/parameters.h"
#include "apps/run/settings_command.h"
#include "apps/run/slash_commands.h"
#include "base/ascii.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

using terminal::Completions;

/// Those that go on as the last word of `before` begins; a blank follows a word that is whole.
template <typename Words>
Completions beginning(std::string_view before, const Words& words) {
  const std::size_t blank = before.find_last_of(' ');
  Completions found;
  found.begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view begun = before.substr(found.begin);
  for (const auto& word : words) {
    if (std::string_view(word).starts_with(begun)) found.texts.emplace_back(word);
  }
  std::ranges::sort(found.texts);
  return found;
}

constexpr std::string_view kPictureEndings[] = {".jpg", ".jpeg", ".png",  ".webp", ".gif", ".bmp",
                                                ".tif", ".tiff", ".heic", ".heif", ".avif"};
constexpr std::string_view kVideoEndings[] = {".mp4",  ".m4v", ".mov", ".mkv",
                                              ".webm", ".avi", ".mpg", ".mpeg"};
// Beside those of videos, which have sound.
constexpr std::string_view kSoundEndings[] = {".wav", ".flac", ".mp3",  ".m4a", ".aac",
                                              ".ogg", ".oga",  ".opus", ".aif", ".aiff",
                                              ".amr", ".ac3",  ".caf"};

/// Whether a file of that name may be what a command takes; documents are called anything.
bool is_called(ShownMedia::Kind kind, const fs::path& path) {
  const std::string ending = ascii_lower(path.extension().string());
  const auto is_among = [&](const auto& endings) {
    return std::ranges::find(endings, ending) != std::end(endings);
  };
  switch (kind) {
    case ShownMedia::Kind::picture:
      return is_among(kPictureEndings);
    case ShownMedia::Kind::sound:
      return is_among(kSoundEndings) || is_among(kVideoEndings);
    case ShownMedia::Kind::video:
      return is_among(kVideoEndings);
    case ShownMedia::Kind::document:
      break;
  }
  return true;
}

/// Files whose path goes on as `typed` does; folders end with a slash.
Completions files(std::string_view typed, std::size_t begin, const fs::path& home) {
  constexpr std::size_t kMost = 1000;
  const std::size_t slash = typed.find_last_of('/');
  const std::string_view folder = slash == std::string_view::npos ? "" : typed.substr(0, slash + 1);
  const std::string_view name = typed.substr(folder.size());
  Completions found;
  found.begin = begin;
  std::error_code error;
  const fs::path where = folder.empty() ? fs::path(".") : typed_path(folder, home);
  for (fs::directory_iterator entries(where, error), end; !error && entries != end;
       entries.increment(error)) {
    const std::string entry = entries->path().filename().string();
    if (!entry.starts_with(name) || (name.empty() && entry.starts_with('.'))) continue;
    if (found.texts.size() == kMost) break;
    std::error_code unknown;
    found.texts.push_back(std::string(folder) + entry +
                          (entries->is_directory(unknown) ? "/" : ""));
  }
  std::ranges::sort(found.texts);
  return found;
}

/// For /image and the like: folders, and files that are called as such media are, with what a blank
/// needs before it.
Completions media_files(ShownMedia::Kind kind, std::string_view before, std::size_t begin,
                        const fs::path& home) {
  std::string typed;
  for (std::size_t i = begin; i < before.size(); ++i) {
    if (before[i] == '\\' && i + 1 < before.size()) ++i;
    typed.push_back(before[i]);
  }
  Completions found = files(typed, begin, home);
  std::erase_if(found.texts, [&](const std::string& text) {
    return !text.ends_with('/') && !is_called(kind, text);
  });
  for (std::string& text : found.texts) text = escaped_path(text);
  return found;
}

}  // namespace

terminal::Completer command_completer(std::function<std::vector<std::string>()> models,
                                      fs::path home) {
  return [models = std::move(models), home = std::move(home)](std::string_view before) {
    if (!before.starts_with('/') || before.find('\n') != std::string_view::npos) {
      return Completions{};
    }
    if (before.find(' ') == std::string_view::npos) {
      std::vector<std::string> commands;
      for (const std::string_view word : command_words())
        commands.push_back("/" + std::string(word));
      return beginning(before, commands);
    }
    for (const std::string_view command : {"/save ", "/load ", "/set tools ", "/set format "}) {
      if (before.starts_with(command)) {
        return files(before.substr(command.size()), command.size(), home);
      }
    }
    for (const auto kind : {ShownMedia::Kind::picture, ShownMedia::Kind::sound,
                            ShownMedia::Kind::video, ShownMedia::Kind::document}) {
      const std::string command = fmt::format("/{} ", media_word(kind));
      if (before.starts_with(command)) return media_files(kind, before, command.size(), home);
    }
    if (before.starts_with("/model ")) return beginning(before, models());
    if (before.starts_with("/show ")) return beginning(before, show_words());
    if (before.starts_with("/set parameter ")) {
      std::vector<std::string_view> names = {"num_ctx"};
      for (const Parameter& parameter : parameters()) names.push_back(parameter.name);
      return std::ranges::count(before, ' ') == 2 ? beginning(before, names) : Completions{};
    }
    if (before.starts_with("/set ") && std::ranges::count(before, ' ') == 1) {
      return beginning(before, setting_words());
    }
    return Completions{};
  };
}

}  // namespace pleiad::apps
