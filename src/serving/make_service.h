#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "model/gemma4/online.h"
#include "serving/answers/reply_limits.h"
#include "serving/endable_service.h"
#include "serving/media/media_tools.h"
#include "serving/observer.h"
#include "serving/pool/engine_runtime.h"

namespace pleiad::serving {

struct ServiceOptions {
  EngineOptions engine;            // of every model; kv_bytes 0: a share of the memory
  std::uint64_t memory_bytes = 0;  // for all models; 0: most of what is available now
  int max_loaded_models = 3;       // 0: as many as the memory holds
  double keep_alive_seconds = 300;
  double timeout_seconds = std::numeric_limits<double>::infinity();  // of requests without one
  ReplyDefaults replies;
  BackendFactory make_backend;
  std::optional<gemma4::OnlineOptions> online;  // quantize checkpoints of plain floats
  MediaTools media;                             // how pictures are read; none are without
  ServingObserver* observer = nullptr;          // may be null; outlives the service
  std::string version;
};

/// Answers by the models of the catalog, which must outlive the service.
std::unique_ptr<EndableService> make_service(ServiceOptions options, store::Catalog& catalog);

}  // namespace pleiad::serving
