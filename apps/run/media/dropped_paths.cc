#include "apps/run/media/dropped_paths.h"

#include <algorithm>
#include <span>

#include "apps/run/chat_file.h"
#include "apps/run/command_words.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/percent.h"
#include "media/documents/document_kind.h"
#include "media/media_kind.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kFileScheme = "file://";

bool is_blank_letter(char c) { return kBlanks.find(c) != std::string_view::npos; }

struct ShellWord {
  std::string text;
  std::size_t end = 0;  // in the line: behind the word
};

/// The word that begins at `begin`, which is no blank; nullopt where a quote is left open.
std::optional<ShellWord> word_at(std::string_view text, std::size_t begin) {
  ShellWord word;
  char quote = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'') {
      c == '\'' ? void(quote = 0) : word.text.push_back(c);
    } else if (c == '\\' && i + 1 < text.size()) {
      // Within double quotes a backslash is one, unless it stands before what it can protect.
      const char next = text[i + 1];
      if (quote != 0 && next != '"' && next != '\\' && next != '$' && next != '`') {
        word.text.push_back(c);
      } else {
        word.text.push_back(next);
        ++i;
      }
    } else if (c == '"') {
      quote = quote != 0 ? '\0' : c;
    } else if (c == '\'' && quote == 0) {
      quote = c;
    } else if (is_blank_letter(c) && quote == 0) {
      word.end = i;
      return word;
    } else {
      word.text.push_back(c);
    }
  }
  if (quote != 0) return std::nullopt;
  word.end = text.size();
  return word;
}

/// The path of "file:///a%20b" or "file://localhost/a"; others as they are.
std::string without_scheme(const std::string& word) {
  if (!word.starts_with(kFileScheme)) return word;
  std::string_view rest = std::string_view(word).substr(kFileScheme.size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto byte = percent_byte(rest.substr(i));
    path.push_back(byte.value_or(rest[i]));
    if (byte) i += 2;
  }
  return path;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// By the content of a file of that path.
std::optional<ShownMedia::Kind> kind_of_content(std::span<const std::byte> bytes,
                                                const fs::path& path) {
  const auto kind = media::sniff_media(bytes);
  if (kind == media::MediaKind::picture) return ShownMedia::Kind::picture;
  if (kind == media::MediaKind::sound) return ShownMedia::Kind::sound;
  if (kind == media::MediaKind::video) return ShownMedia::Kind::video;
  if (kind == media::MediaKind::document) return ShownMedia::Kind::document;
  if (bytes.empty() || !path.is_absolute()) return std::nullopt;
  if (media::sniff_document(bytes, path.filename().string())) return ShownMedia::Kind::document;
  return std::nullopt;
}

/// The words of a line as a shell would have them: quotes and backslashes are taken away. Nullopt
/// where a quote is left open.
std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    std::optional<ShellWord> word = word_at(text, at);
    if (!word) return std::nullopt;
    at = word->end;
    words.push_back(std::move(word->text));
  }
  return words;
}

}  // namespace

// One that cannot be read is none.
std::optional<ShownMedia::Kind> kind_of_file(const fs::path& path) {
  if (!is_file(path)) return std::nullopt;
  try {
    const MappedFile file(path);
    return read_unchanged(file, [&] { return kind_of_content(file.bytes(), path); });
  } catch (const Error&) {  // whoever sends the line as a message loses nothing
  }
  return std::nullopt;
}

std::optional<std::vector<DroppedFile>> dropped_media(std::string_view text, const fs::path& home) {
  constexpr std::size_t kLongest = 64 * 1024;  // bytes: a message of a book is not looked at
  const std::string_view line = trim(text);
  if (line.empty() || line.size() > kLongest || line.starts_with("\"\"\"")) return std::nullopt;
  const fs::path whole = typed_path(line, home);
  if (const auto kind = kind_of_file(whole)) return {{DroppedFile{whole, *kind}}};
  const auto words = shell_words(line);
  if (!words) return std::nullopt;
  std::vector<DroppedFile> files;
  for (const std::string& word : *words) {
    const fs::path path = typed_path(without_scheme(word), home);
    const auto kind = kind_of_file(path);
    if (!kind) return std::nullopt;
    files.push_back({path, *kind});
  }
  return files;
}

std::pair<fs::path, std::string> take_path(std::string_view text, const fs::path& home) {
  const std::string_view line = trim(text);
  if (line.empty()) return {};
  const std::optional<ShellWord> first = word_at(line, 0);
  if (first) {
    const fs::path path = typed_path(without_scheme(first->text), home);
    if (is_file(path)) return {path, std::string(trim(line.substr(first->end)))};
  }
  // A bare path with blanks: the longest that is a file.
  for (std::size_t end = line.size(); end != std::string_view::npos && end > 0;
       end = line.find_last_of(kBlanks, end - 1)) {
    const fs::path path = typed_path(trim(line.substr(0, end)), home);
    if (is_file(path)) return {path, std::string(trim(line.substr(end)))};
  }
  // None: whoever opens it says so.
  if (!first) return {typed_path(line, home), ""};
  return {typed_path(without_scheme(first->text), home),
          std::string(trim(line.substr(first->end)))};
}

std::pair<std::string, std::string> take_pages(std::string_view text) {
  constexpr std::string_view kOfPages = "0123456789-,";
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  const bool is_number = !word.empty() && word[0] >= '0' && word[0] <= '9';
  if (!is_number || word.find_first_not_of(kOfPages) != std::string_view::npos) {
    return {"", std::string(trim(text))};
  }
  return {std::string(word), std::string(rest)};
}

std::string escaped_path(std::string_view path) {
  constexpr std::string_view kSpecial = " \t\\'\"$`&;()<>|*?[]#!{}";
  std::string escaped;
  for (const char c : path) {
    if (kSpecial.find(c) != std::string_view::npos) escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

}  // namespace pleiad::apps
