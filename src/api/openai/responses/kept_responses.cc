#include "api/openai/responses/kept_responses.h"

namespace pleiad::api::openai {
namespace {

/// No longer among those under way, also where keeping it fails.
class Removal {
 public:
  Removal(BackgroundResponses& responses, const BackgroundResponse& made)
      : responses_(responses), made_(made) {}
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;
  ~Removal() { responses_.remove(made_); }

 private:
  BackgroundResponses& responses_;
  const BackgroundResponse& made_;
};

}  // namespace

std::shared_ptr<const StoredResponse> KeptResponses::find(const http::Caller& caller,
                                                          const std::string& id) {
  if (const auto made = background.find(caller, id)) {
    return std::make_shared<StoredResponse>(made->snapshot());
  }
  return stores.find(caller, id);
}

bool KeptResponses::end(BackgroundResponse& made, std::shared_ptr<const StoredResponse> ended) {
  return made.end([&] {
    const Removal afterwards(background, made);
    if (ended) stores.add(made.key(), std::move(ended));
  });
}

// What is cancelled may say at once that it has ended, so that must be known before.
bool KeptResponses::cancel(BackgroundResponse& made, std::shared_ptr<const StoredResponse> ended) {
  try {
    if (!end(made, std::move(ended))) return false;
  } catch (...) {
    made.cancel();
    throw;
  }
  made.cancel();
  return true;
}

bool KeptResponses::remove(const http::Caller& caller, const std::string& id) {
  const auto made = background.find(caller, id);
  return (made && cancel(*made, nullptr)) || stores.remove(caller, id);
}

}  // namespace pleiad::api::openai
