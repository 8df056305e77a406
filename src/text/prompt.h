#pragma once

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
  };

  /// Text next to text becomes one segment: it is encoded as one run.
  void add_text(std::string_view text) {
    if (text.empty()) return;
    if (segments_.empty() || segments_.back().is_control) segments_.push_back({false, {}});
    segments_.back().text += text;
  }
  void add_control(Tag tag) { segments_.push_back({true, std::string(tag_text(tag))}); }
  void append(const Prompt& other) {
    for (const Segment& segment : other.segments_) {
      if (segment.is_control) {
        segments_.push_back(segment);
      } else {
        add_text(segment.text);
      }
    }
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
  std::vector<Segment> segments_;
};

}  // namespace pleiad::text
