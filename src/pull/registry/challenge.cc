#include "pull/registry/challenge.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace pleiad::pull {
namespace {

constexpr std::size_t kLongestHeader = 8192;
constexpr std::size_t kMostChallenges = 16;
constexpr std::size_t kMostParameters = 32;

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token68_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~+/").find(c) != std::string_view::npos;
}

bool has_parameter(const Challenge& challenge, const std::string& name) {
  return std::ranges::any_of(challenge.parameters,
                             [&](const auto& parameter) { return parameter.first == name; });
}

/// Goes through a header once.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  Result<std::vector<Challenge>> read() {
    if (text_.size() > kLongestHeader) return refuse("is longer than 8192 bytes");
    std::vector<Challenge> challenges;
    for (skip(" \t,"); at_ < text_.size(); skip(" \t,")) {
      const std::string word = ascii_lower(take_token());
      if (word.empty()) return refuse(fmt::format("has no name at character {}", at_ + 1));
      if (!challenges.empty() && next_is('=')) {
        if (!take_parameter(challenges.back(), word)) return refuse(problem_);
        continue;
      }
      if (challenges.size() == kMostChallenges) return refuse("names more than 16 schemes");
      challenges.push_back({word, {}});
      skip_token68();
    }
    if (challenges.empty()) return refuse("is empty");
    return challenges;
  }

 private:
  static Failure refuse(const std::string& why) { return {why}; }

  void skip(std::string_view characters) {
    while (at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  std::string_view take_token() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_token_character(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Behind blanks, which are passed over where it is so.
  bool next_is(char wanted) {
    std::size_t at = at_;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    if (at == text_.size() || text_[at] != wanted) return false;
    at_ = at;
    return true;
  }

  /// "abc==" behind a scheme, as Negotiate has it: nothing that we answer.
  void skip_token68() {
    std::size_t at = at_;
    while (at < text_.size() && text_[at] == ' ') ++at;
    const std::size_t begin = at;
    while (at < text_.size() && is_token68_character(text_[at])) ++at;
    if (at == begin) return;
    while (at < text_.size() && text_[at] == '=') ++at;
    std::size_t end = at;
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
    if (end == text_.size() || text_[end] == ',') at_ = end;
  }

  bool take_parameter(Challenge& challenge, const std::string& name) {
    ++at_;  // '='
    skip(" \t");
    std::string value;
    if (at_ < text_.size() && text_[at_] == '"') {
      if (!take_quoted(value)) return false;
    } else {
      // Not all servers quote what is no token, as the URL of a realm.
      const std::size_t end = std::min(text_.find_first_of(", \t", at_), text_.size());
      value = text_.substr(at_, end - at_);
      at_ = end;
    }
    if (challenge.parameters.size() == kMostParameters) {
      problem_ = "has more than 32 parameters of one scheme";
      return false;
    }
    if (has_parameter(challenge, name)) {
      problem_ = fmt::format("gives {} twice", name);
      return false;
    }
    challenge.parameters.emplace_back(name, std::move(value));
    return true;
  }

  bool take_quoted(std::string& value) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    problem_ = "has quotes that are not closed";
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
};

}  // namespace

std::string_view Challenge::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

Result<std::vector<Challenge>> parse_challenges(std::string_view header) {
  return HeaderReader(header).read();
}

}  // namespace pleiad::pull
