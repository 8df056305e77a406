#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tags.h"

namespace pleiad::text {

/// A prompt before it is encoded: what steers the model (control tokens) is kept
/// apart from text, so that no text can pretend to be a control token.
class Prompt {
 public:
  struct Segment {
    bool is_control = false;
    std::string text;  // of a control segment: the token's spelling
    int media = -1;    // of one that stands for a medium: which of the request's; -1: for none
  };

  /// Text next to text becomes one segment: it is encoded as one run.
  void add_text(std::string_view text) {
    if (text.empty()) return;
    if (segments_.empty() || segments_.back().is_control)
      segments_.push_back({.is_control = false, .text = {}});
    segments_.back().text += text;
  }
  void add_control(Tag tag) {
    segments_.push_back({.is_control = true, .text = std::string(tag_text(tag))});
  }
  /// A control token that stands for what the request brings beside its texts.
  void add_media(Tag tag, int media) {
    add_control(tag);
    segments_.back().media = media;
  }
  /// A place without a token of its own, for what has texts (documents).
  void add_place(int media) {
    segments_.push_back({.is_control = true, .text = {}, .media = media});
  }
  void append(const Segment& segment) {
    if (segment.is_control) {
      segments_.push_back(segment);
    } else {
      add_text(segment.text);
    }
  }
  void append(const Prompt& other) {
    for (const Segment& segment : other.segments_) append(segment);
  }

  /// What follows is what a reply goes on with.
  void mark() {
    const bool in_text = !segments_.empty() && !segments_.back().is_control;
    mark_ = {segments_.size() - (in_text ? 1 : 0), in_text ? segments_.back().text.size() : 0};
  }
  /// The texts behind the mark that was set last; empty where there is none.
  std::string behind_mark() const {
    std::string out;
    if (!mark_) return out;
    for (std::size_t i = mark_->segment; i < segments_.size(); ++i) {
      if (segments_[i].is_control) continue;
      out += std::string_view(segments_[i].text).substr(i == mark_->segment ? mark_->offset : 0);
    }
    return out;
  }

  const std::vector<Segment>& segments() const { return segments_; }
  bool empty() const { return segments_.empty(); }

  /// As one string, as the official templates print it.
  std::string str() const {
    std::string out;
    for (const Segment& segment : segments_) out += segment.text;
    return out;
  }

 private:
  struct Mark {
    std::size_t segment = 0;
    std::size_t offset = 0;  // bytes of that segment, one of text, before the mark
  };

  std::vector<Segment> segments_;
  std::optional<Mark> mark_;
};

}  // namespace pleiad::text
