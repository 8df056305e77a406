#include "serving/pool/model_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "serving/testing/test_models.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// What became of a wish for a model.
struct Wish {
  std::mutex mutex;
  ModelPool::Lease lease;
  std::optional<ServiceError> error;

  bool granted() {
    const std::lock_guard guard(mutex);
    return lease != nullptr;
  }
  bool refused() {
    const std::lock_guard guard(mutex);
    return error.has_value();
  }
  void release() {
    ModelPool::Lease gone;
    const std::lock_guard guard(mutex);
    gone = std::move(lease);
  }
};

class ModelPoolTest : public ::testing::Test {
 protected:
  ModelPoolTest() {
    options_.memory_bytes = 10'000;
    options_.clock = [this] { return clock_.now(); };
  }
  ~ModelPoolTest() override { script_.set(&TestScript::hold_loads, false); }

  ModelPool& pool() {
    if (!pool_) pool_ = std::make_unique<ModelPool>(options_, loader_, observer_);
    return *pool_;
  }
  store::ModelEntry entry(const std::string& name) {
    store::ModelEntry entry;
    entry.name = name;
    entry.path = folder_.path() / name;
    if (!std::filesystem::exists(entry.path)) folder_.write(name, name);
    if (projector_.empty()) return entry;
    entry.projector = folder_.path() / projector_;
    if (!std::filesystem::exists(entry.projector)) folder_.write(projector_, projector_);
    return entry;
  }
  std::shared_ptr<Wish> want(const std::string& name, std::optional<KeepAlive> keep_alive = {},
                             double deadline = kNever) {
    auto wish = std::make_shared<Wish>();
    last_wait_ = pool().acquire(entry(name), keep_alive, deadline, [this, wish, name](auto got) {
      const std::lock_guard guard(wish->mutex);
      if (auto* lease = std::get_if<ModelPool::Lease>(&got)) {
        wish->lease = std::move(*lease);
      } else {
        wish->error = std::get<ServiceError>(got);
      }
      const std::lock_guard order(order_mutex_);
      order_.push_back(wish.get());
    });
    return wish;
  }
  std::shared_ptr<Wish> get(const std::string& name, std::optional<KeepAlive> keep_alive = {}) {
    auto wish = want(name, keep_alive);
    EXPECT_TRUE(eventually([&] { return wish->granted(); }));
    return wish;
  }
  void use_once(const std::string& name, std::optional<KeepAlive> keep_alive = {}) {
    get(name, keep_alive)->release();
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const LoadedInfo& info : pool().loaded()) out.push_back(info.entry.name);
    return out;
  }
  bool eventually_loaded(const std::vector<std::string>& wanted) {
    return eventually([&] { return names() == wanted; });
  }
  void advance(double seconds) {
    clock_.advance(seconds);
    pool().wake();
  }

  TestFolder folder_;
  std::string projector_;  // of entries, if any
  TestClock clock_;
  TestScript script_;
  TestLoader loader_{script_};
  ServingObserver observer_;
  PoolOptions options_;
  ModelPool::WaitId last_wait_ = 0;
  std::mutex order_mutex_;
  std::vector<Wish*> order_;
  std::unique_ptr<ModelPool> pool_;
};

TEST_F(ModelPoolTest, LoadsOnceForAllWhoWantIt) {
  const auto first = get("a");
  const auto second = get("a");
  EXPECT_EQ(first->lease->use(), ModelLease::Use::after_a_wait);
  EXPECT_EQ(second->lease->use(), ModelLease::Use::at_once);
  EXPECT_EQ(&first->lease->runtime(), &second->lease->runtime());
  EXPECT_THAT(script_.loads, ElementsAre("a"));
}

TEST_F(ModelPoolTest, ThoseThatWaitAreServedInOrderAndSeeProgress) {
  script_.hold_loads = true;
  const auto first = want("a");
  const auto second = want("a");
  const auto third = want("a");
  ASSERT_TRUE(eventually([&] {
    const auto infos = pool().loaded();
    return infos.size() == 1 && infos[0].loaded_bytes == 40;
  }));
  EXPECT_EQ(pool().loaded()[0].state, LoadedInfo::State::loading);
  EXPECT_EQ(pool().loaded()[0].total_bytes, 100U);
  EXPECT_FALSE(first->granted());
  script_.set(&TestScript::hold_loads, false);
  ASSERT_TRUE(eventually([&] { return third->granted(); }));
  EXPECT_THAT(order_, ElementsAre(first.get(), second.get(), third.get()));
  EXPECT_EQ(pool().loaded()[0].state, LoadedInfo::State::ready);
}

TEST_F(ModelPoolTest, AFailureIsToldToAllAndTheNextRequestTriesAgain) {
  script_.hold_loads = true;
  script_.broken = {"a"};
  const auto first = want("a");
  const auto second = want("a");
  script_.set(&TestScript::hold_loads, false);
  ASSERT_TRUE(eventually([&] { return first->refused() && second->refused(); }));
  EXPECT_EQ(first->error->code, ServiceError::Code::load_failed);
  EXPECT_EQ(first->error->message, "a: is damaged");
  EXPECT_THAT(names(), ElementsAre());
  {
    const std::lock_guard guard(script_.mutex);
    script_.broken.clear();
  }
  get("a");
}

TEST_F(ModelPoolTest, TheLongestUnusedIdleModelMakesRoom) {
  options_.max_loaded_models = 2;
  use_once("a");
  advance(1);
  use_once("b");
  advance(1);
  use_once("a");
  advance(1);
  get("c");
  EXPECT_TRUE(eventually_loaded({"a", "c"}));
}

TEST_F(ModelPoolTest, TheMemoryBudgetCountsWeightsAndCaches) {
  options_.memory_bytes = 1000;
  script_.needs["a"] = {400, 50, 100};
  script_.needs["b"] = {400, 50, 100};
  script_.needs["c"] = {400, 50, 100};
  use_once("a");
  use_once("b");
  EXPECT_TRUE(eventually_loaded({"a", "b"}));
  EXPECT_THAT(script_.kv_bytes, ElementsAre(100, 50));  // all of use; half of what is left
  use_once("c");
  EXPECT_TRUE(eventually_loaded({"b", "c"}));
}

TEST_F(ModelPoolTest, RoomForPicturesIsKeptWhereThereIsAny) {
  options_.memory_bytes = 1000;
  script_.needs["a"] = {400, 50, 100, 0, 300};
  script_.needs["b"] = {100, 20, 100};
  script_.needs["c"] = {400, 50, 100, 0, 5000};
  script_.needs["d"] = {10, 5, 5};
  use_once("a");
  use_once("b");
  EXPECT_TRUE(eventually_loaded({"a", "b"}));
  use_once("c");
  EXPECT_TRUE(eventually_loaded({"b", "c"}));
  use_once("d");
  EXPECT_TRUE(eventually_loaded({"c", "d"})) << "c took all that there was";
  EXPECT_THAT(script_.kv_bytes, ElementsAre(100, 50, 50, 5));
}

// Before they are loaded and after, until the model is unloaded.
TEST_F(ModelPoolTest, TowersCountAsTheModelsWeightsDo) {
  options_.memory_bytes = 1000;
  script_.needs["a"] = {300, 50, 50, 200};
  script_.needs["b"] = {300, 50, 50, 200};
  script_.needs["c"] = {400, 50, 50};
  use_once("a");
  use_once("b");
  EXPECT_TRUE(eventually_loaded({"b"})) << "two need 1100 with their towers";
  use_once("c");
  EXPECT_TRUE(eventually_loaded({"b", "c"}));
  use_once("a");
  EXPECT_TRUE(eventually_loaded({"c", "a"})) << "b makes room for a, with its tower";
  std::atomic<bool> gone = false;
  pool().unload(entry("a").path, [&] { gone = true; });
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
  use_once("b");
  EXPECT_TRUE(eventually_loaded({"c", "b"})) << "a's room is free again";
}

TEST_F(ModelPoolTest, AModelWithoutRoomForItsTowersAnswersAlone) {
  options_.memory_bytes = 1000;
  script_.needs["a"] = {800, 50, 150, 400};
  script_.needs["b"] = {10, 5, 5};
  use_once("b");
  use_once("a");
  EXPECT_TRUE(eventually_loaded({"a"}));
  EXPECT_THAT(script_.kv_bytes, ElementsAre(5, 50)) << "towers take what there is";
}

TEST_F(ModelPoolTest, AModelLargerThanTheBudgetIsRefusedWithNumbers) {
  options_.memory_bytes = 1000;
  script_.needs["a"] = {2000, 50, 100};
  const auto wish = want("a");
  ASSERT_TRUE(eventually([&] { return wish->refused(); }));
  EXPECT_EQ(wish->error->code, ServiceError::Code::load_failed);
  EXPECT_THAT(wish->error->message, HasSubstr("a needs 2.0 KB"));
  EXPECT_THAT(wish->error->message, HasSubstr("1.0 KB"));
  EXPECT_THAT(script_.loads, ElementsAre());
}

TEST_F(ModelPoolTest, WhereAllAreInUseTheNextOneWaitsAndNobodyOvertakesIt) {
  options_.max_loaded_models = 1;
  const auto running = get("a");
  const auto waiting = want("b");
  ASSERT_TRUE(eventually([&] { return pool().loaded()[0].state == LoadedInfo::State::unloading; }));
  const auto late = want("a");  // would keep "a" in use for ever
  EXPECT_FALSE(waiting->granted());
  EXPECT_FALSE(late->granted());
  EXPECT_EQ(script_.get(&TestScript::alive), 1);
  running->release();
  ASSERT_TRUE(eventually([&] { return waiting->granted(); }));
  EXPECT_FALSE(late->granted());
  waiting->release();
  ASSERT_TRUE(eventually([&] { return late->granted(); }));
  EXPECT_THAT(script_.loads, ElementsAre("a", "b", "a"));
}

TEST_F(ModelPoolTest, ARoomThatIsNotWantedAnyMoreStaysWithWhoHasIt) {
  options_.max_loaded_models = 1;
  const auto running = get("a");
  const auto waiting = want("b");
  const ModelPool::WaitId wait = last_wait_;
  ASSERT_TRUE(eventually([&] { return pool().loaded()[0].state == LoadedInfo::State::unloading; }));
  const auto late = want("a");
  EXPECT_TRUE(pool().cancel(wait));
  ASSERT_TRUE(eventually([&] { return late->granted(); }));
  EXPECT_EQ(&late->lease->runtime(), &running->lease->runtime());
  EXPECT_FALSE(waiting->granted() || waiting->refused());
}

TEST_F(ModelPoolTest, AnIdleModelLeavesAfterItsTime) {
  use_once("a");
  EXPECT_EQ(pool().loaded()[0].expires_in_seconds, 300);
  advance(299);
  EXPECT_THAT(names(), ElementsAre("a"));
  use_once("a", KeepAlive{10});
  EXPECT_EQ(pool().loaded()[0].expires_in_seconds, 10);
  use_once("a");  // keeps what was asked for last
  advance(11);
  EXPECT_TRUE(eventually_loaded({}));
  EXPECT_EQ(script_.get(&TestScript::alive), 0);
}

TEST_F(ModelPoolTest, LookingAtModelsDoesNotProlongTheirStay) {
  use_once("a");
  advance(200);
  pool().find_loaded(entry("a")).reset();
  EXPECT_EQ(pool().loaded()[0].expires_in_seconds, 100);
}

TEST_F(ModelPoolTest, AModelInUseStaysHoweverLongItTakes) {
  const auto running = get("a", KeepAlive{0});
  advance(10'000);
  EXPECT_THAT(names(), ElementsAre("a"));
  running->release();
  EXPECT_TRUE(eventually_loaded({}));
}

TEST_F(ModelPoolTest, KeptForEverMeansSo) {
  use_once("a", KeepAlive{kNever});
  advance(1e9);
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_EQ(pool().loaded()[0].expires_in_seconds, kNever);
}

TEST_F(ModelPoolTest, UnloadingWaitsForRunningRequestsAndNewOnesLoadAnew) {
  const auto running = get("a");
  std::atomic<bool> gone = false;
  pool().unload(entry("a").path, [&] { gone = true; });
  EXPECT_FALSE(gone);
  EXPECT_EQ(pool().loaded()[0].state, LoadedInfo::State::unloading);
  const auto later = get("a");
  EXPECT_NE(&later->lease->runtime(), &running->lease->runtime());
  running->release();
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
  EXPECT_EQ(script_.get(&TestScript::alive), 1);
}

TEST_F(ModelPoolTest, AnotherProjectorMakesAnotherModelOfTheSameFile) {
  use_once("a", KeepAlive{kNever});
  EXPECT_NE(pool().find_loaded(entry("a")), nullptr);
  projector_ = "eyes";
  EXPECT_EQ(pool().find_loaded(entry("a")), nullptr);
  use_once("a", KeepAlive{kNever});
  EXPECT_EQ(pool().loaded().size(), 2U);
  folder_.write("eyes", "another tower");
  EXPECT_EQ(get("a")->lease->use(), ModelLease::Use::after_a_wait) << "its file has changed";
  std::atomic<bool> gone = false;
  pool().unload(entry("a").path, [&] { gone = true; });
  EXPECT_TRUE(eventually([&] { return gone && pool().loaded().empty(); }));
}

TEST_F(ModelPoolTest, UnloadingEndsWhateverProjectorIsThereOrOnItsWay) {
  const auto plain = get("a", KeepAlive{kNever});
  projector_ = "eyes";
  script_.hold_loads = true;
  const auto seeing = want("a", KeepAlive{kNever});
  ASSERT_TRUE(eventually([&] { return script_.get(&TestScript::loads).size() == 2; }));
  std::atomic<int> gone = 0;
  pool().unload(entry("a").path, [&] { ++gone; });
  script_.set(&TestScript::hold_loads, false);
  ASSERT_TRUE(eventually([&] { return seeing->granted(); }));
  seeing->release();
  EXPECT_TRUE(eventually([&] { return pool().loaded().size() == 1; }));
  EXPECT_EQ(gone, 0) << "one is in use";
  plain->release();
  EXPECT_TRUE(eventually([&] { return gone == 1 && pool().loaded().empty(); }));
}

TEST_F(ModelPoolTest, UnloadingWhatIsNotLoadedIsDoneAtOnce) {
  bool gone = false;
  pool().unload(entry("a").path, [&] { gone = true; });
  EXPECT_TRUE(gone);
}

TEST_F(ModelPoolTest, UnloadingWhileItLoadsServesThoseThatWaitFirst) {
  script_.hold_loads = true;
  const auto wish = want("a");
  std::atomic<bool> gone = false;
  pool().unload(entry("a").path, [&] { gone = true; });
  script_.set(&TestScript::hold_loads, false);
  ASSERT_TRUE(eventually([&] { return wish->granted(); }));
  EXPECT_FALSE(gone);
  wish->release();
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
}

TEST_F(ModelPoolTest, AChangedFileIsReadAgainWhileTheOldOneIsInUse) {
  const auto before = get("a");
  folder_.write("a", "longer than it was");
  const auto after = get("a");
  EXPECT_NE(&before->lease->runtime(), &after->lease->runtime());
  EXPECT_EQ(script_.get(&TestScript::alive), 2);
  before->release();
  EXPECT_TRUE(eventually([&] { return script_.get(&TestScript::alive) == 1; }));
}

TEST_F(ModelPoolTest, AModelWhoseFileHasGoneStillAnswers) {
  use_once("a");
  const store::ModelEntry known = entry("a");
  std::filesystem::remove(known.path);
  bool granted = false;
  pool().acquire(known, {}, kNever,
                 [&](auto got) { granted = std::holds_alternative<ModelPool::Lease>(got); });
  EXPECT_TRUE(granted);
}

TEST_F(ModelPoolTest, AWaitThatIsCancelledHearsNothing) {
  script_.hold_loads = true;
  const auto wish = want("a");
  EXPECT_TRUE(pool().cancel(last_wait_));
  EXPECT_FALSE(pool().cancel(last_wait_));
  script_.set(&TestScript::hold_loads, false);
  const auto other = get("a");
  EXPECT_FALSE(pool().cancel(last_wait_));  // it has been granted
  EXPECT_FALSE(wish->granted() || wish->refused());
}

TEST_F(ModelPoolTest, AWaitEndsWithItsDeadline) {
  script_.hold_loads = true;
  const auto wish = want("a", {}, clock_.now() + 5);
  const auto patient = want("a");
  advance(6);
  ASSERT_TRUE(eventually([&] { return wish->refused(); }));
  EXPECT_EQ(wish->error->code, ServiceError::Code::deadline);
  EXPECT_FALSE(patient->refused());
}

TEST_F(ModelPoolTest, MoreThanMayWaitAreTurnedAway) {
  options_.max_waiting = 2;
  script_.hold_loads = true;
  want("a");
  want("b");
  const auto third = want("a");
  ASSERT_TRUE(third->refused());
  EXPECT_EQ(third->error->code, ServiceError::Code::busy);
  EXPECT_EQ(third->error->message,
            "server busy, please try again.  maximum pending requests exceeded");
}

TEST_F(ModelPoolTest, StoppingFailsThoseThatWaitAndInterruptsTheLoad) {
  script_.hold_loads = true;
  const auto first = want("a");
  const auto second = want("b");
  ASSERT_TRUE(eventually([&] { return !script_.get(&TestScript::loads).empty(); }));
  pool().stop();
  EXPECT_EQ(first->error->code, ServiceError::Code::shutting_down);
  EXPECT_EQ(second->error->code, ServiceError::Code::shutting_down);
  EXPECT_TRUE(want("c")->refused());
  EXPECT_EQ(script_.get(&TestScript::alive), 0);
}

TEST_F(ModelPoolTest, AModelWhoseFileHasChangedGoesAsSoonAsItsRequestsHaveEnded) {
  const auto first = get("a");
  const auto second = get("a");
  script_.set(&TestScript::usable, false);
  EXPECT_EQ(pool().find_loaded(entry("a")), nullptr);
  first->release();
  EXPECT_THAT(names(), ElementsAre("a"));
  second->release();
  EXPECT_TRUE(eventually_loaded({}));
  script_.set(&TestScript::usable, true);
  use_once("a");
  EXPECT_THAT(script_.loads, ElementsAre("a", "a"));
}

TEST_F(ModelPoolTest, WhoComesMeanwhileGetsTheModelAnew) {
  const auto first = get("a");
  script_.set(&TestScript::usable, false);
  const auto second = want("a");
  EXPECT_TRUE(eventually([&] { return second->granted(); }));
  EXPECT_NE(&first->lease->runtime(), &second->lease->runtime());
  EXPECT_THAT(script_.loads, ElementsAre("a", "a"));
}

TEST_F(ModelPoolTest, AFileOfTheSameSizeAndTimeIsAnotherOne) {
  const auto written = [&] { return std::filesystem::last_write_time(entry("a").path); };
  use_once("a");
  const auto before = written();
  folder_.write("next", "b");
  std::filesystem::last_write_time(folder_.path() / "next", before);
  std::filesystem::rename(folder_.path() / "next", entry("a").path);
  ASSERT_EQ(written(), before);
  use_once("a");
  EXPECT_THAT(script_.loads, ElementsAre("a", "a"));
}

}  // namespace
}  // namespace pleiad::serving
