#include "pull/pull_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "pull/testing/fake_source.h"

namespace pleiad::pull {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Keeps all that it hears.
class Ear : public TransferListener {
 public:
  void offered(const Offer& offer) override {
    const std::lock_guard lock(mutex_);
    offer_ = offer;
  }
  void progress(const Progress& progress) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(outcome_) << "heard of " << progress.status << " after the end";
    heard_.push_back(progress);
    changed_.notify_all();
  }
  void done(const Result<TransferResult>& result) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(outcome_);
    outcome_ = result;
    changed_.notify_all();
  }

  const Result<TransferResult>& await_end() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outcome_.has_value(); });
    return *outcome_;
  }
  bool ended() {
    const std::lock_guard lock(mutex_);
    return outcome_.has_value();
  }
  std::vector<Progress> heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  /// Each status once, in the order in which it was heard first.
  std::vector<std::string> statuses() {
    std::vector<std::string> result;
    for (const Progress& progress : heard()) {
      if (result.empty() || result.back() != progress.status) result.push_back(progress.status);
    }
    return result;
  }
  std::optional<Offer> offer() {
    const std::lock_guard lock(mutex_);
    return offer_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Progress> heard_;
  std::optional<Offer> offer_;
  std::optional<Result<TransferResult>> outcome_;
};

class PullDeskTest : public ::testing::Test {
 protected:
  PullDeskTest() { make_desk(); }

  void make_desk() {
    desk_ = std::make_unique<PullDesk>(
        [this](const ModelReference&, bool insecure) -> Result<std::unique_ptr<Source>> {
          return host_.source(insecure);
        },
        [this](const ModelReference&, bool) -> Result<std::unique_ptr<Destination>> {
          return host_.destination();
        });
  }
  static ModelReference reference(const std::string& text) {
    return ModelReference::parse(text).value();
  }
  std::shared_ptr<Participation> pull(const std::string& name, const std::shared_ptr<Ear>& ear) {
    return desk_->pull(reference(name), false, ear);
  }

  FakeHost host_;
  std::unique_ptr<PullDesk> desk_;
};

TEST_F(PullDeskTest, TellsWhatIsOfferedAndEveryStepInOrder) {
  host_.leave_out("its projector");
  const auto ear = std::make_shared<Ear>();
  const auto part = pull("gemma4:e2b", ear);
  EXPECT_EQ(ear->await_end().value().name, "gemma4:e2b");
  EXPECT_THAT(ear->await_end().value().left_out, ElementsAre("its projector"));
  EXPECT_THAT(ear->statuses(), ElementsAre("pulling manifest", "pulling aaaaaaaaaaaa",
                                           "verifying sha256 digest", "writing manifest"));
  ASSERT_TRUE(ear->offer());
  EXPECT_EQ(ear->offer()->bytes(), 1000U);
}

TEST_F(PullDeskTest, TwoWhoPullTheSameModelShareOneDownload) {
  host_.hold();
  const auto first = std::make_shared<Ear>(), second = std::make_shared<Ear>();
  const auto part = pull("gemma4:e2b", first);
  host_.await_held(1);
  const auto other = pull("GEMMA4:e2b", second);
  // Who joins hears at once how far it is.
  ASSERT_FALSE(second->heard().empty());
  EXPECT_EQ(second->heard().back().completed, 900U);
  EXPECT_TRUE(second->offer());
  host_.let_go();
  EXPECT_TRUE(first->await_end());
  EXPECT_TRUE(second->await_end());
  EXPECT_EQ(host_.n_fetches(), 1);
}

TEST_F(PullDeskTest, OneWhoLeavesHearsNothingMoreAndTheOthersGoOn) {
  host_.hold();
  const auto first = std::make_shared<Ear>(), second = std::make_shared<Ear>();
  auto part = pull("gemma4:e2b", first);
  const auto other = pull("gemma4:e2b", second);
  host_.await_held(1);
  part.reset();
  host_.let_go();
  EXPECT_TRUE(second->await_end());
  EXPECT_FALSE(first->ended());
  EXPECT_EQ(host_.n_stopped(), 0);
}

TEST_F(PullDeskTest, TheLastOneWhoLeavesStopsIt) {
  host_.hold();
  const auto first = std::make_shared<Ear>(), second = std::make_shared<Ear>();
  const auto part = pull("gemma4:e2b", first), other = pull("gemma4:e2b", second);
  host_.await_held(1);
  part->leave();
  EXPECT_EQ(host_.n_stopped(), 0);
  other->leave();
  host_.await_stopped(1);
}

TEST_F(PullDeskTest, WhoComesWhileOneIsBeingStoppedBeginsWhenItHasEnded) {
  host_.hold();
  host_.end_slowly();
  const auto first = std::make_shared<Ear>(), second = std::make_shared<Ear>();
  auto stopped = pull("gemma4:e2b", first);
  host_.await_held(1);
  stopped.reset();
  host_.await_stopped(1);  // it takes its time from here on
  const auto part = pull("gemma4:e2b", second);
  host_.let_go();
  EXPECT_TRUE(second->await_end());
  EXPECT_FALSE(first->ended());
  EXPECT_EQ(host_.n_fetches(), 2);
  EXPECT_EQ(host_.most_at_once(), 1) << "two have written the same files";
}

TEST_F(PullDeskTest, OtherModelsAndOtherSecurityAreOtherDownloads) {
  host_.hold();
  const auto a = std::make_shared<Ear>(), b = std::make_shared<Ear>(), c = std::make_shared<Ear>();
  const auto pa = pull("gemma4:e2b", a), pb = pull("gemma4:e4b", b);
  host_.await_held(2);
  const auto pc = desk_->pull(reference("gemma4:e2b"), true, c);
  host_.await_held(3);
  EXPECT_TRUE(host_.insecure());
  host_.let_go();
  for (const auto& ear : {a, b, c}) EXPECT_TRUE(ear->await_end());
  EXPECT_EQ(host_.n_fetches(), 3);
}

TEST_F(PullDeskTest, FilesThatDifferInTheCaseOfLettersAreOthers) {
  host_.hold();
  const auto a = std::make_shared<Ear>(), b = std::make_shared<Ear>(), c = std::make_shared<Ear>();
  const auto pa = pull("hf:u/r@dev:x.gguf", a), pb = pull("hf:u/r@dev:X.gguf", b);
  const auto pc = pull("hf:U/R@dev:x.gguf", c);
  host_.await_held(2);
  host_.let_go();
  for (const auto& ear : {a, b, c}) EXPECT_TRUE(ear->await_end());
  EXPECT_EQ(host_.n_fetches(), 2);
}

TEST_F(PullDeskTest, FailuresAreToldAndTheNextPullBeginsAnew) {
  host_.refuse("registry.ollama.ai: there is no such model");
  const auto ear = std::make_shared<Ear>();
  const auto part = pull("gemma4:e2b", ear);
  ASSERT_FALSE(ear->await_end());
  EXPECT_EQ(ear->await_end().message(), "registry.ollama.ai: there is no such model");
  EXPECT_THAT(ear->statuses(), ElementsAre("pulling manifest"));
  host_.refuse("");
  const auto again = std::make_shared<Ear>();
  const auto other = pull("gemma4:e2b", again);
  EXPECT_TRUE(again->await_end());
}

TEST_F(PullDeskTest, ItsEndStopsWhatIsUnderWayAndSaysSo) {
  host_.hold();
  const auto ear = std::make_shared<Ear>();
  const auto part = pull("gemma4:e2b", ear);
  host_.await_held(1);
  desk_.reset();
  ASSERT_TRUE(ear->ended());
  EXPECT_THAT(ear->await_end().message(), HasSubstr("shutting down; what has come is resumed"));
  part->leave();
}

TEST_F(PullDeskTest, ManyAtOnceAreLimited) {
  host_.hold();
  std::vector<std::shared_ptr<Participation>> parts;
  for (std::size_t i = 0; i < PullDesk::kMaxTransfers; ++i) {
    parts.push_back(pull("gemma4:t" + std::to_string(i), std::make_shared<Ear>()));
  }
  const auto one_more = std::make_shared<Ear>();
  const auto refused = pull("gemma4:e2b", one_more);
  EXPECT_THAT(one_more->await_end().message(), HasSubstr("16 models are being pulled"));
  const auto joins = std::make_shared<Ear>();
  const auto joined = pull("gemma4:t3", joins);
  EXPECT_FALSE(joins->ended());
}

TEST_F(PullDeskTest, PushTellsItsStepsAndIsNotShared) {
  store::ModelEntry model;
  model.name = "mine:latest";
  const auto ear = std::make_shared<Ear>();
  const auto part = desk_->push(model, reference("localhost:5000/me/mine"), false, ear);
  EXPECT_EQ(ear->await_end().value().name, "localhost:5000/me/mine:latest");
  EXPECT_THAT(ear->statuses(),
              ElementsAre("retrieving manifest", "pushing aaaaaaaaaaaa", "pushing manifest"));
  EXPECT_EQ(host_.pushed(), "mine:latest as localhost:5000/me/mine:latest");
  host_.fail("localhost:5000: access denied");
  const auto second = std::make_shared<Ear>();
  const auto other = desk_->push(model, reference("localhost:5000/me/mine"), false, second);
  EXPECT_EQ(second->await_end().message(), "localhost:5000: access denied");
}

}  // namespace
}  // namespace pleiad::pull
