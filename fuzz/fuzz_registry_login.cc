// Any bytes at all, as what a registry and its token server say before they let somebody in
// (WWW-Authenticate, a token, where an upload goes and how far it is), and as Docker's file of
// passwords. What is accepted must fit into a header or a URL.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "client/url.h"
#include "download/session.h"
#include "pull/registry/authorizer.h"
#include "pull/registry/blob_upload.h"
#include "pull/registry/challenge.h"
#include "pull/registry/credentials.h"

namespace {

using namespace pleiad;

void require(bool holds) {
  if (!holds) std::abort();
}

void read_challenges(const std::string& text) {
  const auto read = pull::parse_challenges(text);
  if (!read) {
    require(!read.message().empty());
    return;
  }
  require(!read.value().empty() && read.value().size() <= 16);
  for (const pull::Challenge& challenge : read.value()) {
    require(!challenge.scheme.empty());
    for (const auto& [name, value] : challenge.parameters) {
      require(!name.empty() && challenge.parameter(name) == value);
    }
  }
}

void read_url(const std::string& text) {
  const auto base = client::parse_url("https://registry.example/v2/a/b/blobs/uploads/");
  for (const auto& url : {client::parse_url(text), base.value().resolved(text)}) {
    if (!url) continue;
    require(!url.value().host.empty());
    const auto longer = url.value().with_query("digest", text);
    require(longer.origin() == url.value().origin());
    const auto again = client::parse_url(url.value().text());
    if (again) require(again.value().origin() == url.value().origin());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_challenges(text);
  if (const auto token = pull::parse_token(text)) {
    for (const char c : token.value().value) require(c > ' ' && c < '\x7f');
    require(token.value().seconds >= 60 && token.value().seconds <= 86400);
  }
  const auto docker = pull::parse_docker_config(text);
  require(docker.ok() || !docker.message().empty());
  pull::parse_upload_range(text);
  download::Reply reply;
  reply.body = text;
  require(!pull::refusal_text(reply).empty());
  read_url(text);
  return 0;
}
