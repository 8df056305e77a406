#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serving/answer.h"

namespace pleiad::api::ollama {

/// A body of /api/generate or /api/chat.
struct AnswerBody {
  enum class Kind {
    answer,
    load,    // no prompt, no messages: the model is loaded
    unload,  // and with keep_alive 0: unloaded
    render,  // _debug_render_only: the prompt as text
  };
  Kind kind = Kind::answer;
  bool stream = true;
  bool reports_drops = false;  // truncate was asked for
  serving::AnswerRequest request;
  std::vector<std::string> warnings;
};

/// Both throw RequestError, which names the field.
AnswerBody parse_generate(std::string_view body);
AnswerBody parse_chat(std::string_view body);

}  // namespace pleiad::api::ollama
