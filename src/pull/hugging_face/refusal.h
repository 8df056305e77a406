#pragma once

#include <string>
#include <string_view>

#include "download/session.h"
#include "pull/hugging_face/endpoint.h"

namespace pleiad::pull::hugging_face {

/// What was asked of a hub: for the words of a refusal.
struct Question {
  std::string repository;  // "user/repo"
  std::string revision;    // as it was asked for
  std::string file = {};   // empty: none
  bool has_token = false;  // one was sent
};

/// Why a hub did not give what was asked for, by its status and its headers X-Error-Code and
/// X-Error-Message, and what to do: a gated repository's page, a token, a name to look at.
std::string explain_refusal(const Endpoint& hub, const Question& asked,
                            const download::Reply& reply);

}  // namespace pleiad::pull::hugging_face
