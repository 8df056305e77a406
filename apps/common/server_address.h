#pragma once

#include <memory>

#include "apps/common/environment.h"
#include "client/http_client.h"

namespace pleiad::apps {

/// A client for the server that PLEIAD_HOST or OLLAMA_HOST names, by default the one
/// on this machine, with the key of PLEIAD_API_KEY.
std::unique_ptr<client::HttpClient> make_client(const Environment& environment);

/// The same where a server of ours listens there; null otherwise. Takes a moment only.
std::unique_ptr<client::HttpClient> find_server(const Environment& environment);

}  // namespace pleiad::apps
