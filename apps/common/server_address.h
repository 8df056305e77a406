#pragma once

#include <memory>
#include <string>

#include "apps/common/environment.h"
#include "base/error.h"
#include "client/http_client.h"

namespace pleiad::apps {

/// A client for the server that PLEIAD_HOST or OLLAMA_HOST names, by default the one
/// on this machine, with the key of PLEIAD_API_KEY.
std::unique_ptr<client::HttpClient> make_client(const Environment& environment);

/// A server of ours that does not let us in.
class ServerRefusal : public Error {
 public:
  using Error::Error;
};

/// The same where a server of ours listens there; null otherwise. Takes a moment only. Throws
/// ServerRefusal.
std::unique_ptr<client::HttpClient> find_server(const Environment& environment);

/// What an answer that is no 200 says, for the one who typed the command: which server asks for a
/// key, and where it is taken from.
std::string refusal_text(const client::HttpClient& server, const client::HttpAnswer& answer,
                         const Environment& environment);

}  // namespace pleiad::apps
