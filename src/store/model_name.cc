#include "store/model_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text_format.h"

namespace pleiad::store {
namespace {

constexpr std::string_view kDefaultHost = "registry.ollama.ai";
constexpr std::string_view kDefaultSpace = "library";
constexpr std::string_view kDefaultTag = "latest";
constexpr std::size_t kMaxPart = 80;
constexpr std::size_t kMaxHost = 255;  // a folder's name

struct PartRules {
  std::string_view called;
  std::string_view also;  // beside letters, digits, '_' and '-'
  std::size_t longest;
};
constexpr PartRules kHost = {"host", ".:", kMaxHost};
constexpr PartRules kSpace = {"namespace", "", kMaxPart};
constexpr PartRules kModel = {"model", ".", kMaxPart};
constexpr PartRules kTag = {"tag", ".", kMaxPart};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Empty when all is well.
std::string problem_of(std::string_view part, const PartRules& rules) {
  if (part.empty()) return fmt::format("the {} is empty", rules.called);
  if (part.size() > rules.longest) {
    return fmt::format("the {} has {} characters, {} at most", rules.called, part.size(),
                       rules.longest);
  }
  if (!is_word(part[0])) {
    return fmt::format("the {} '{}' must begin with a letter, a digit or '_'", rules.called,
                       printable(part));
  }
  for (const char c : part) {
    if (is_word(c) || c == '-' || rules.also.find(c) != std::string_view::npos) continue;
    return fmt::format("the {} '{}' has the character '{}', which names cannot have", rules.called,
                       printable(part), printable({&c, 1}));
  }
  return {};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

Result<ModelName> ModelName::from_parts(std::string host, std::string space, std::string model,
                                        std::string tag) {
  ModelName name{std::move(host), std::move(space), std::move(model), std::move(tag)};
  for (const auto& [part, rules] : {std::pair(&name.host, &kHost), std::pair(&name.space, &kSpace),
                                    std::pair(&name.model, &kModel), std::pair(&name.tag, &kTag)}) {
    std::string problem = problem_of(*part, *rules);
    if (!problem.empty()) return Failure{std::move(problem)};
  }
  return name;
}

Result<ModelName> ModelName::parse(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return Failure{fmt::format("'{}' is not a model's name: {}", printable(text), why)};
  };
  std::string_view rest = text;
  std::string_view tag = kDefaultTag;
  const std::size_t colon = rest.rfind(':');
  const std::size_t slash = rest.rfind('/');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  const std::vector<std::string_view> parts = split(rest, '/');
  if (parts.size() > 3) return refuse("expected [host/][namespace/]model[:tag]");
  const std::size_t n = parts.size();
  auto name = from_parts(std::string(n > 2 ? parts[0] : kDefaultHost),
                         std::string(n > 1 ? parts[n - 2] : kDefaultSpace),
                         std::string(parts[n - 1]), std::string(tag));
  if (!name) return refuse(name.message());
  return name;
}

std::string ModelName::text() const {
  const bool own_host = !same_name(host, kDefaultHost);
  const bool own_space = own_host || !same_name(space, kDefaultSpace);
  return fmt::format("{}{}{}{}{}:{}", own_host ? host : "", own_host ? "/" : "",
                     own_space ? space : "", own_space ? "/" : "", model, tag);
}

std::filesystem::path ModelName::path() const {
  return std::filesystem::path(host) / space / model / tag;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool same_name(const ModelName& a, const ModelName& b) {
  return same_name(a.host, b.host) && same_name(a.space, b.space) && same_name(a.model, b.model) &&
         same_name(a.tag, b.tag);
}

bool is_model_part(std::string_view text) { return problem_of(text, kModel).empty(); }

bool is_said_as_path(std::string_view text) {
  for (const std::string_view start : {"/", "./", "../", "~/"}) {
    if (text.starts_with(start)) return true;
  }
  return text == "." || text == ".." || text == "~" || text.ends_with(".gguf") ||
         text.ends_with(".safetensors");
}

}  // namespace pleiad::store
