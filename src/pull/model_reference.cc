#include "pull/model_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/percent.h"
#include "base/text_format.h"

namespace pleiad::pull {
namespace {

constexpr std::string_view kHuggingFace = "huggingface.co";
constexpr std::string_view kShort = "hf.co/";
constexpr std::string_view kScheme = "hf:";
constexpr std::size_t kMaxText = 1000;
constexpr std::size_t kMaxPart = 96;  // of a repository's name
constexpr std::size_t kMaxRevision = 200;
constexpr std::size_t kMaxChoice = 255;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Takes a beginning away, in any case of letters.
bool take(std::string_view& text, std::string_view beginning) {
  if (ascii_lower(text.substr(0, beginning.size())) != beginning) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// What stands before the separator; the rest, without it, stays. All where there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

bool is_repository_part(std::string_view part) {
  const auto is_edge = [](char c) { return c == '-' || c == '.'; };
  return !part.empty() && part.size() <= kMaxPart &&
         std::ranges::all_of(part, [](char c) { return is_word(c) || c == '-' || c == '.'; }) &&
         !is_edge(part.front()) && !is_edge(part.back()) &&
         part.find("..") == std::string_view::npos && part.find("--") == std::string_view::npos;
}

/// Parts with '/' between them, none of which is empty, begins with '.' or leaves a folder.
bool is_relative(std::string_view text, std::size_t longest, bool (*allowed)(char)) {
  if (text.empty() || text.size() > longest || text.front() == '/' || text.back() == '/') {
    return false;
  }
  while (!text.empty()) {
    const std::string_view part = take_until(text, '/');
    if (part.empty() || part.front() == '.' || !std::ranges::all_of(part, allowed)) return false;
  }
  return true;
}

bool is_revision(std::string_view text) {
  return is_relative(text, kMaxRevision,
                     [](char c) { return is_word(c) || c == '-' || c == '.' || c == '+'; }) &&
         text.find("..") == std::string_view::npos;
}

bool is_choice(std::string_view text) {
  return is_relative(text, kMaxChoice, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '\x7f' && c != '\\' && c != ':';
  });
}

/// "my model" of "my%20model"; nothing where a '%' begins no byte, or that is zero.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      result += text[at];
      continue;
    }
    const auto byte = percent_byte(text.substr(at));
    if (!byte || *byte == '\0') return std::nullopt;
    result += *byte;
    at += 2;
  }
  return result;
}

/// "tree/main", "blob/main/x.gguf", "resolve/refs%2Fpr%2F1/x.gguf" as they follow a repository in a
/// browser.
Result<ModelReference> with_page(ModelReference reference, std::string_view page) {
  const std::string_view kind = take_until(page, '/');
  const auto revision = percent_decoded(take_until(page, '/'));
  const auto file = percent_decoded(page);
  const bool is_file = kind == "blob" || kind == "resolve";
  // "refs/pr/1" spelled with slashes cannot be told from a file.
  if ((kind != "tree" && !is_file) || !revision || revision->empty() || *revision == "refs" ||
      !file || is_file == file->empty()) {
    return Failure{
        "expected a repository, or a page of it as .../tree/REVISION or .../blob/REVISION/FILE"};
  }
  reference.revision = *revision;
  reference.choice = *file;
  return reference;
}

/// `is_address`: as a browser has it, which may end with a query.
Result<ModelReference> parse_hugging_face(std::string_view rest, bool is_address) {
  if (is_address) rest = rest.substr(0, rest.find_first_of("?#"));
  const std::size_t end = rest.find_first_of("@:");
  std::string_view repository = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  ModelReference reference;
  reference.place = Place::hugging_face;
  std::string_view pages = repository;
  const std::string_view user = take_until(pages, '/');
  const std::string_view repo = take_until(pages, '/');
  reference.repository = fmt::format("{}/{}", user, repo);
  if (!pages.empty()) {
    auto with = with_page(std::move(reference), pages);
    if (!with) return with;
    reference = std::move(with).value();
    if (!rest.empty()) {
      return Failure{fmt::format("'{}' stands after a page, which says what is meant already",
                                 printable(rest))};
    }
  }
  if (!is_repository(reference.repository)) {
    return Failure{fmt::format("'{}' is no repository of Hugging Face: expected USER/REPOSITORY",
                               printable(repository))};
  }
  const bool has_revision = !rest.empty() && rest.front() == '@';
  if (has_revision) {
    rest.remove_prefix(1);
    const std::size_t colon = rest.find(':');
    reference.revision = std::string(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon);
  }
  const bool has_choice = !rest.empty() && rest.front() == ':';
  if (has_choice) reference.choice = std::string(rest.substr(1));
  if ((has_revision || !reference.revision.empty()) && !is_revision(reference.revision)) {
    return Failure{fmt::format("'{}' is no revision: expected a branch, a tag or a commit",
                               printable(reference.revision))};
  }
  if ((has_choice || !reference.choice.empty()) && !is_choice(reference.choice)) {
    return Failure{fmt::format(
        "'{}' chooses nothing: expected a type as Q4_K_M, the name of a file, or safetensors",
        printable(reference.choice))};
  }
  return reference;
}

/// "localhost:5000", "192.168.0.7:5000", "registry.example.com:5000": as a name it would be a model
/// with a number for its tag.
bool is_host_with_port(std::string_view text) {
  const std::string host = ascii_lower(take_until(text, ':'));
  const auto is_number = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_number(text)) return false;
  std::string_view labels = host;
  bool all_numbers = true;
  std::string_view last;
  int n_labels = 0;
  for (; !labels.empty(); ++n_labels) {
    last = take_until(labels, '.');
    all_numbers = all_numbers && is_number(last);
  }
  const bool is_domain = n_labels > 1 && last.size() > 1 &&
                         std::ranges::all_of(last, [](char c) { return c >= 'a' && c <= 'z'; });
  return host == "localhost" || is_domain || (all_numbers && n_labels == 4);
}

/// `is_address`: "https://" stood before it.
Result<ModelReference> parse_registry(std::string_view rest, bool is_address) {
  if (take(rest, "ollama.com/")) {
    take(rest, "library/");
    rest = rest.substr(0, rest.find('?'));
  } else if (is_host_with_port(rest) || (is_address && std::ranges::count(rest, '/') < 2)) {
    return Failure{"it has a host and no whole name of a model: expected HOST/USER/MODEL[:TAG]"};
  }
  auto name = store::ModelName::parse(rest);
  if (!name) return Failure{name.message()};
  ModelReference reference;
  reference.name = std::move(name).value();
  return reference;
}

Result<ModelReference> parse_any(std::string_view text) {
  if (text.empty()) return Failure{"the name is empty"};
  if (text.size() > kMaxText) {
    return Failure{fmt::format("it has {} characters, {} at most", text.size(), kMaxText)};
  }
  std::string_view rest = text;
  if (take(rest, "http://")) {
    return Failure{
        "expected no http://: leave it away, and allow a host without https by --insecure HOST"};
  }
  const bool is_address = take(rest, "https://");
  if (!is_address && take(rest, kScheme)) return parse_hugging_face(rest, false);
  for (const std::string_view host : {"huggingface.co/", "www.huggingface.co/", "hf.co/"}) {
    if (take(rest, host)) return parse_hugging_face(rest, is_address);
  }
  if (is_address || !store::is_said_as_path(text)) return parse_registry(rest, is_address);
  if (text.find('\0') != std::string_view::npos) return Failure{"a path has no zero byte"};
  ModelReference reference;
  reference.place = Place::path;
  reference.path = text;
  return reference;
}

}  // namespace

bool is_repository(std::string_view text) {
  const std::string_view user = take_until(text, '/');
  return is_repository_part(user) && is_repository_part(text);
}

Result<ModelReference> ModelReference::parse(std::string_view text) {
  auto reference = parse_any(text);
  if (reference && reference.value().place == Place::registry) {
    // As an address of "hf.co/..." behind another host, or of a tag that ends as a file's name.
    const auto again = parse_any(reference.value().text());
    if (!again || !(again.value() == reference.value()) || again.value().place != Place::registry) {
      reference = Failure{"its short form would mean something else"};
    }
  }
  if (reference) return reference;
  const std::string& why = reference.message();
  if (why.find("is not a model's name") != std::string::npos) return reference;
  return Failure{fmt::format("'{}' names no model: {}", printable(text), why)};
}

std::string ModelReference::text() const {
  switch (place) {
    case Place::registry:
      return name.text();
    case Place::path:
      return path.string();
    case Place::hugging_face:
      break;
  }
  return fmt::format("{}{}{}{}{}{}", revision.empty() ? kShort : kScheme, repository,
                     revision.empty() ? "" : "@", revision, choice.empty() ? "" : ":", choice);
}

std::string ModelReference::host() const {
  switch (place) {
    case Place::registry:
      return name.host;
    case Place::hugging_face:
      return std::string(kHuggingFace);
    case Place::path:
      break;
  }
  return {};
}

}  // namespace pleiad::pull
