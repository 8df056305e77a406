#pragma once

#include <set>
#include <string>
#include <vector>

#include "apps/run/media/attached_media.h"
#include "base/json.h"
#include "engine/chat.h"
#include "engine/session.h"

namespace pleiad::apps {

/// Everything that a conversation at the terminal consists of.
struct ChatState {
  std::string system;                  // the system turn; empty: none
  bool system_is_set = false;          // by the user, and not by the model's recipe
  Json messages = Json::array();       // user, assistant and tool messages so far
  std::vector<AttachedMedia> media;    // what parts {"type": "image", "media": N} of these mean
  std::vector<AttachedMedia> waiting;  // attached, for the next message
  MediaWishes wishes;                  // of all media
  PageWishes::PagesAs pages_as = PageWishes::PagesAs::automatic;  // of PDFs that are attached next
  Json tools = Json::array();                                     // declarations
  bool think = false;
  bool show_thinking = true;
  bool verbose = false;
  bool markdown = true;   // at a terminal with colours, replies are shown in styles
  bool wrap = true;       // at a terminal, words are wrapped
  Json format = nullptr;  // what replies must be: null: any text; "json"; a JSON schema
  GenerationOptions generation;
  ReplyLimits limits = {.thinking_budget = {}, .thinking_level = {}, .repetition_guard = true};
  std::vector<std::string> stop;
  std::set<std::string> chosen;  // parameters that somebody set; the others are the model's

  /// The request for the next reply; media were read before.
  ChatRequest request() const;
  /// A message of the user's, with the media that waited, which come before its text.
  void ask(const std::string& text);
  /// The last message of the user's is the last one again; false, and nothing changes, where there
  /// is none.
  bool drop_reply();
};

}  // namespace pleiad::apps
