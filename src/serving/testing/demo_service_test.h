#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "serving/make_service.h"
#include "serving/testing/test_answers.h"
#include "serving/testing/test_models.h"

namespace pleiad::serving {

/// The whole service, with the demo model.
class DemoServiceTest : public ::testing::Test {
 protected:
  DemoServiceTest() {
    store::CatalogOptions places;
    places.own = folder_.path() / "own";
    places.demo = kDemoModel;
    catalog_ = std::make_unique<store::Catalog>(places);
    ServiceOptions options;
    options.memory_bytes = std::uint64_t{1} << 30;
    options.engine.max_running = 8;
    options.make_backend = [](std::int64_t max_rows) -> std::unique_ptr<Backend> {
      cpu::CpuOptions cpu;
      cpu.n_threads = 2;
      cpu.max_rows = max_rows;
      return std::make_unique<cpu::CpuBackend>(cpu);
    };
    service_ = make_service(std::move(options), *catalog_);
  }

  std::shared_ptr<CollectingObserver> ask(AnswerRequest request) {
    auto observer = std::make_shared<CollectingObserver>();
    ticket_ = service_->answer(std::move(request), observer);
    return observer;
  }

  TestFolder folder_;
  std::unique_ptr<store::Catalog> catalog_;
  std::unique_ptr<EndableService> service_;
  std::shared_ptr<Ticket> ticket_;
};

}  // namespace pleiad::serving
