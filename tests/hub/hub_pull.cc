// Pulls a model of a hub, as `pleiad pull` does, for the tests beside: says what is offered, how
// far it is and how it ended as JSON lines.
//
//   hub_pull ENDPOINT CACHE REFERENCE [TOKEN] [offline] [offer]

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "download/session.h"
#include "pull/hugging_face/hugging_face_source.h"
#include "pull/transfer_json.h"

namespace {

volatile std::sig_atomic_t interrupted = 0;

void say(const pleiad::Json& line) {
  std::puts(pleiad::to_text(line).c_str());
  std::fflush(stdout);
}

int fail(const std::string& why) {
  say({{"error", why}});
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) return fail("hub_pull ENDPOINT CACHE REFERENCE [TOKEN] [offline] [offer]");
  std::signal(SIGINT, [](int) { interrupted = 1; });
  pleiad::pull::HuggingFaceOptions options;
  options.endpoint = words[0];
  options.cache = words[1];
  bool offer_alone = false;
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i] == "offline") {
      options.offline = true;
    } else if (words[i] == "offer") {
      offer_alone = true;
    } else {
      options.token = words[i];
    }
  }
  pleiad::download::Surroundings surroundings;
  surroundings.retry.attempts = 2;
  surroundings.retry.first_wait = 0.05;
  pleiad::download::Session session(surroundings);
  pleiad::pull::HuggingFaceSource source(session, options);
  const auto reference = pleiad::pull::ModelReference::parse(words[2]);
  if (!reference) return fail(reference.message());
  const auto stop = [] { return interrupted != 0; };
  const auto offer = source.offer(reference.value(), stop);
  if (!offer) return fail(offer.message());
  say(pleiad::pull::offer_json(offer.value()));
  if (offer_alone) return 0;
  const auto result = source.fetch(
      offer.value(),
      [](const pleiad::pull::Progress& progress) { say(pleiad::pull::progress_json(progress)); },
      stop);
  if (!result) return fail(result.message());
  say({{"status", "success"}, {"name", result.value().name}});
}
