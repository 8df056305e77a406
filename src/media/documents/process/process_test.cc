#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "media/documents/process/confined_program.h"
#include "media/documents/process/turns.h"

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Announcement, IsTakenFromWhatAProcessSays) {
  ProgramConfinement found;
  std::string errors = "confined 6\nSyntax Error\n";
  EXPECT_TRUE(take_announcement(errors, found));
  EXPECT_EQ(errors, "Syntax Error\n");
  EXPECT_FALSE(found.own_network);
  EXPECT_TRUE(found.own_files);
  EXPECT_TRUE(found.readable_only);
  EXPECT_THAT(found.text(), HasSubstr("libraries and fonts alone and Landlock"));
  for (std::string wrong : {"", "confined", "confined 6", "confined 8\n", "confined 66\n", "x\n"}) {
    EXPECT_FALSE(take_announcement(wrong, found)) << wrong;
  }
}

TEST(ConverterWords, AreLimitsAndArguments) {
  EXPECT_THAT(converter_words("program", {100, 7}, {"/usr/bin/x", "-f"}),
              ElementsAre("program", "100", "7", "/usr/bin/x", "-f"));
}

TEST(Turns, AreSoManyAtATimeAndGivenBack) {
  Turns turns(2);
  std::atomic<int> n_at_work = 0;
  std::atomic<int> n_most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const auto turn = turns.take({});
      const int n = ++n_at_work;
      for (int most = n_most; most < n && !n_most.compare_exchange_weak(most, n);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --n_at_work;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(n_most, 2);
}

TEST(Turns, AreGivenUpByWhoWantsNoneAnyMore) {
  Turns turns(1);
  std::optional<Turns::Turn> first = turns.take({});
  ASSERT_TRUE(first);
  EXPECT_FALSE(turns.take([] { return true; }));
  first.reset();
  EXPECT_TRUE(turns.take({}));
}

}  // namespace
}  // namespace pleiad::media
