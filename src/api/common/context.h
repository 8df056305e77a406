#pragma once

#include <chrono>
#include <functional>

#include "api/common/id_source.h"
#include "api/common/request_notes.h"
#include "api/common/time_text.h"
#include "base/work_pool.h"
#include "pull/pull_desk.h"
#include "serving/service.h"

namespace pleiad::api {

/// What the handlers of every API stand on; outlives the server.
struct ApiContext {
  serving::Service& service;
  WorkPool& worker;
  IdSource& ids;
  bool cache_per_key = false;                    // a key finds its own prompts alone in the cache
  SpareFields spare_fields = SpareFields::tell;  // of requests in OpenAI's and Anthropic's forms
  std::function<WallTime()> now = [] { return std::chrono::system_clock::now(); };
  pull::PullDesk* transfers = nullptr;  // null: models are neither pulled nor pushed
};

}  // namespace pleiad::api
