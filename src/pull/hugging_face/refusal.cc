#include "pull/hugging_face/refusal.h"

#include <fmt/format.h>

#include "base/text_format.h"

namespace pleiad::pull::hugging_face {
namespace {

constexpr std::size_t kLongestMessage = 300;

/// The page of a repository for people.
std::string page_of(const Endpoint& hub, const Question& asked) {
  return hub.url("/" + asked.repository);
}

std::string tokens_page(const Endpoint& hub) { return hub.url("/settings/tokens"); }

std::string gated(const Endpoint& hub, const Question& asked) {
  const std::string at_the_source =
      hub.is_mirror() ? fmt::format(" (or https://huggingface.co/{}, where {} mirrors it)",
                                    asked.repository, hub.host)
                      : "";
  if (asked.has_token) {
    return fmt::format(
        "{} is gated, and the account of your token has no access to it: log in at {}{}, accept "
        "its licence, and wait where its authors grant access by hand; a fine-grained token must "
        "allow reading gated repositories ({})",
        asked.repository, page_of(hub, asked), at_the_source, tokens_page(hub));
  }
  return fmt::format(
      "{} is gated: log in at {}{}, accept its licence there, make a token that may read at {}, "
      "and hand it over as HF_TOKEN or by `hf auth login`",
      asked.repository, page_of(hub, asked), at_the_source, tokens_page(hub));
}

std::string no_repository(const Endpoint& hub, const Question& asked) {
  return fmt::format(
      "{} has no repository {}, or it is private{}: look at {}", hub.host, asked.repository,
      asked.has_token ? " and your token may not read it" : ", which takes a token (HF_TOKEN)",
      page_of(hub, asked));
}

std::string no_revision(const Endpoint& hub, const Question& asked) {
  return fmt::format("{} has no revision '{}': its branches, tags and commits are at {}/commits",
                     asked.repository, printable(asked.revision), page_of(hub, asked));
}

std::string no_file(const Endpoint& hub, const Question& asked) {
  return fmt::format("{} has no file '{}' at revision '{}': look at {}/tree/{}", asked.repository,
                     printable(asked.file, 200), printable(asked.revision), page_of(hub, asked),
                     escaped_part(asked.revision));
}

std::string explain_code(const Endpoint& hub, const Question& asked, int status,
                         std::string_view code, std::string_view message) {
  if (code == "GatedRepo") return gated(hub, asked);
  if (code == "RepoNotFound") return no_repository(hub, asked);
  if (code == "RevisionNotFound") return no_revision(hub, asked);
  if (code == "EntryNotFound") return no_file(hub, asked);
  if (message == "Access to this resource is disabled.") {
    return fmt::format("{}: {} has disabled access to it", asked.repository, hub.host);
  }
  if (status == 401 && message.starts_with("Invalid credentials")) {
    return fmt::format(
        "{} does not know your token: it has expired, was revoked or is mistyped (HF_TOKEN, or the "
        "file that `hf auth login` wrote); make one at {}",
        hub.host, tokens_page(hub));
  }
  // Without a code it answers so for what is not there and for what may not be seen.
  if (status == 401 || (status == 404 && asked.file.empty())) return no_repository(hub, asked);
  if (status == 404) return no_file(hub, asked);
  if (status == 429) {
    return fmt::format(
        "{} answers 429, too many requests: wait some minutes{}", hub.host,
        asked.has_token ? "" : ", or hand over a token (HF_TOKEN), which may ask more");
  }
  const std::string words =
      message.empty() ? "" : fmt::format(": {}", printable(message, kLongestMessage));
  if (status == 403) {
    return fmt::format("{} refuses {} (403){}: your token may not read it", hub.host,
                       asked.repository, words);
  }
  if (status >= 500) {
    return fmt::format("{} answers {} for {}{}: try again later", hub.host, status,
                       asked.repository, words);
  }
  return fmt::format("{} answers {} for {}{}", hub.host, status, asked.repository, words);
}

}  // namespace

std::string explain_refusal(const Endpoint& hub, const Question& asked,
                            const download::Reply& reply) {
  return explain_code(hub, asked, reply.status, reply.header("X-Error-Code"),
                      reply.header("X-Error-Message"));
}

}  // namespace pleiad::pull::hugging_face
