#pragma once

#include <memory>
#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/paths.h"
#include "engine/testing/engine_test_support.h"

namespace pleiad::testing_support {

/// Engines on the demo model (a window of 128 tokens), which is loaded once for a suite: passes
/// have at most kMaxRows rows.
template <int kMaxRowsOfPass, int kLogitRows>
class DemoEngineTest : public ::testing::Test {
 protected:
  static constexpr int kMaxRows = kMaxRowsOfPass;

  static void SetUpTestSuite() { load(std::make_unique<cpu::CpuBackend>(cpu_options())); }
  static void TearDownTestSuite() {
    model_.reset();
    backend_.reset();
  }

  static cpu::CpuOptions cpu_options(const std::string& isa = "") {
    cpu::CpuOptions options;
    options.isa = isa;
    options.n_threads = 1;
    options.max_rows = kMaxRows;
    return options;
  }
  static void load(std::unique_ptr<cpu::CpuBackend> backend) {
    LoadOptions options;
    options.max_rows = kMaxRows;
    options.max_logit_rows = kLogitRows;
    backend_ = std::move(backend);
    model_ = std::make_unique<LoadedModel>(source_path("models/demo/pleiad-demo.gguf"), *backend_,
                                           options);
  }

  static EngineOptions options(std::uint64_t kv_bytes = std::uint64_t{256} << 20) {
    EngineOptions options;
    options.kv_bytes = kv_bytes;
    return options;
  }
  /// What was submitted before this has been done.
  static EngineStats settled_stats(Engine& engine) {
    ask(engine, cold(request({300}, 1, 0)));
    return engine.stats();
  }

  static inline std::unique_ptr<cpu::CpuBackend> backend_;
  static inline std::unique_ptr<LoadedModel> model_;
};

}  // namespace pleiad::testing_support
