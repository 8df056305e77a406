#include "serving/make_service.h"

#include <algorithm>
#include <utility>

#include "base/available_memory.h"
#include "serving/model_service.h"

namespace pleiad::serving {
namespace {

/// The rest is for prompts being read, pages of files, and everybody else.
std::uint64_t most_of(std::uint64_t available) { return available / 10 * 8; }

PoolOptions pool_options(const ServiceOptions& options) {
  PoolOptions pool;
  pool.memory_bytes = options.memory_bytes ? options.memory_bytes : most_of(available_memory());
  pool.kv_bytes = options.engine.kv_bytes;
  pool.max_loaded_models = options.max_loaded_models;
  // Those on their way to a free place wait too, for a moment.
  pool.max_waiting = options.engine.max_waiting +
                     static_cast<std::size_t>(std::max(0, options.engine.max_running));
  pool.keep_alive_seconds = options.keep_alive_seconds;
  return pool;
}

/// What waits for the towers is part of what the models leave free.
MediaTools media_tools(MediaTools tools, std::uint64_t available) {
  const std::uint64_t bytes = waiting_memory_bytes(available);
  tools.waiting = std::make_shared<WaitingMemory>(bytes);
  tools.most_bytes = std::min(tools.most_bytes, bytes / 2);  // the share of its caller
  return tools;
}

}  // namespace

std::unique_ptr<EndableService> make_service(ServiceOptions options, store::Catalog& catalog) {
  ModelServiceOptions service;
  service.pool = pool_options(options);
  service.timeout_seconds = options.timeout_seconds;
  service.replies = options.replies;
  service.version = options.version;
  ModelService::Parts parts;
  parts.find = [&catalog](const std::string& name) { return catalog.find(name); };
  parts.loader = std::make_unique<EngineLoader>(options.engine, std::move(options.make_backend),
                                                options.online);
  parts.load_tokenizer = load_lone_tokenizer;
  parts.observer = options.observer;
  parts.catalog = &catalog;
  parts.media = media_tools(std::move(options.media), available_memory());
  return std::make_unique<ModelService>(service, std::move(parts));
}

}  // namespace pleiad::serving
