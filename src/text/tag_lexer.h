#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/tags.h"

namespace pleiad::text {

/// The tags that have a meaning in a reply, also where they are spelled in
/// ordinary text. None is the beginning of another.
inline constexpr std::array<Tag, 9> kReplyTags = {
    Tag::turn_open,          Tag::turn_close,          Tag::channel_open,
    Tag::channel_close,      Tag::tool_call_open,      Tag::tool_call_close,
    Tag::tool_response_open, Tag::tool_response_close, Tag::quote,
};

/// Finds spelled tags in text that comes in pieces, however it is cut. Keeps back
/// only what can still become a tag.
class TagLexer {
 public:
  /// Calls on_text(string_view) and on_tag(Tag) in the order of the text.
  template <typename OnText, typename OnTag>
  void push(std::string_view text, OnText on_text, OnTag on_tag) {
    held_ += text;
    std::string_view rest = held_;
    std::size_t plain = 0;  // so much of `rest` is text for certain
    while (plain < rest.size()) {
      plain = rest.find('<', plain);
      if (plain == std::string_view::npos) plain = rest.size();
      const std::string_view candidate = rest.substr(plain);
      const std::optional<Tag> tag = tag_at(candidate);
      if (!tag && may_become_tag(candidate)) break;
      if (!tag && !candidate.empty()) {
        ++plain;
        continue;
      }
      if (plain > 0) on_text(rest.substr(0, plain));
      rest.remove_prefix(plain);
      plain = 0;
      if (!tag) break;
      rest.remove_prefix(tag_text(*tag).size());
      on_tag(*tag);
    }
    if (plain > 0) on_text(rest.substr(0, plain));
    held_.erase(0, held_.size() - rest.size() + plain);
  }

  /// What was kept back turns out to be text.
  std::string flush() { return std::exchange(held_, {}); }

 private:
  static std::optional<Tag> tag_at(std::string_view text) {
    for (const Tag tag : kReplyTags) {
      if (text.starts_with(tag_text(tag))) return tag;
    }
    return std::nullopt;
  }
  static bool may_become_tag(std::string_view text) {
    if (text.empty()) return false;
    for (const Tag tag : kReplyTags) {
      if (tag_text(tag).starts_with(text)) return true;
    }
    return false;
  }

  std::string held_;
};

}  // namespace pleiad::text
