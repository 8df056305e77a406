#include "apps/serve/health.h"

#include "base/json.h"

namespace pleiad::apps {

http::Response Health::answer() const {
  const char* status = "ok";
  Json body = Json::object();
  if (shutting_down_) {
    status = "shutting down";
  } else {
    // A model that is on its way while none is ready: whoever asks now has to wait.
    bool loading = awaited_ > 0, ready = false;
    for (const serving::LoadedInfo& info : service_.loaded()) {
      loading |= info.state == serving::LoadedInfo::State::loading;
      ready |= info.state == serving::LoadedInfo::State::ready;
    }
    if (loading && (!ready || awaited_ > 0)) status = "loading";
  }
  body["status"] = status;
  http::Response response;
  response.status = std::string_view(status) == "ok" ? 200 : 503;
  response.body = to_text(body);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

}  // namespace pleiad::apps
