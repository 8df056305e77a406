#include "base/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>

namespace pleiad {
namespace {

TEST(WorkPool, RunsTasksInOrderOnAnotherThread) {
  std::vector<int> order;
  std::promise<std::thread::id> last;
  WorkPool pool(1);
  for (int i = 0; i < 5; ++i) pool.post([&order, i] { order.push_back(i); });
  pool.post([&] { last.set_value(std::this_thread::get_id()); });
  EXPECT_NE(last.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(WorkPool, FinishesWhatHasNotBegunAtItsEnd) {
  std::atomic<int> n_done = 0;
  {
    WorkPool pool(2);
    for (int i = 0; i < 100; ++i) pool.post([&] { ++n_done; });
  }
  EXPECT_EQ(n_done, 100);
}

TEST(WorkPool, DropsWhatHasNotBegunAtItsEndWhereThatIsAskedFor) {
  auto kept = std::make_shared<int>(1);
  std::promise<void> begun, go_on;
  bool ran = false;
  std::thread ending;
  {
    auto pool = std::make_unique<WorkPool>(1, WorkPool::AtEnd::drop);
    pool->post([&] {
      begun.set_value();
      go_on.get_future().wait();
    });
    pool->post([kept, &ran] { ran = true; });
    begun.get_future().wait();
    ending = std::thread([&pool] { pool.reset(); });
    while (kept.use_count() > 1) std::this_thread::yield();  // the second task is dropped
    go_on.set_value();
    ending.join();
  }
  EXPECT_FALSE(ran);
}

TEST(WorkPool, ATaskThatThrowsEndsNothingElse) {
  std::promise<void> next;
  WorkPool pool(1);
  pool.post([] { throw std::runtime_error("lost"); });
  pool.post([&] { next.set_value(); });
  next.get_future().wait();
}

}  // namespace
}  // namespace pleiad
