#include "api/common/worker.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>

namespace pleiad::api {
namespace {

TEST(Worker, RunsTasksInOrderOnAnotherThread) {
  std::vector<int> order;
  std::promise<std::thread::id> last;
  Worker worker(1);
  for (int i = 0; i < 5; ++i) worker.post([&order, i] { order.push_back(i); });
  worker.post([&] { last.set_value(std::this_thread::get_id()); });
  EXPECT_NE(last.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Worker, DropsWhatHasNotBegunAtItsEnd) {
  auto kept = std::make_shared<int>(1);
  std::promise<void> begun, go_on;
  bool ran = false;
  std::thread ending;
  {
    auto worker = std::make_unique<Worker>(1);
    worker->post([&] {
      begun.set_value();
      go_on.get_future().wait();
    });
    worker->post([kept, &ran] { ran = true; });
    begun.get_future().wait();
    ending = std::thread([&worker] { worker.reset(); });
    while (kept.use_count() > 1) std::this_thread::yield();  // the second task is dropped
    go_on.set_value();
    ending.join();
  }
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace pleiad::api
