#pragma once

#include <functional>
#include <string>

#include "engine/chat.h"

namespace pleiad::eval {

/// What a grader says of a reply.
struct Verdict {
  bool right = false;
  std::string why;  // in a few words, where it is not right

  static Verdict good() { return {true, ""}; }
  static Verdict bad(std::string why) { return {false, std::move(why)}; }
};

/// Judges a reply without looking at anything else: the same reply, the same verdict.
using Grader = std::function<Verdict(const ChatReply& reply)>;

}  // namespace pleiad::eval
