#include "media/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "base/error.h"
#include "base/testing/sanitizers.h"
#include "media/helper/helper_testing.h"

namespace pleiad::media {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ReaderLimits quick(double seconds = 60) {
  ReaderLimits limits;
  limits.seconds = seconds;
  return limits;
}

/// What becomes of a picture in a helper of that kind.
std::string outcome(const std::string& helper, const ReaderLimits& limits = quick()) {
  MediaReader reader(test_helper(helper), limits);
  const auto picture = reader.prepare_picture(golden_picture("wide.png"), {});
  return picture ? "a picture" : picture.message();
}

void until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(MediaReader, GivesWhatIsComputedInThisProcess) {
  MediaReader reader(test_helper("read"), quick());
  for (const char* name : {"tiny.png", "tall.png", "wide.png"}) {
    for (const PictureOptions& options : {PictureOptions{}, PictureOptions{70}, {1120}}) {
      const auto bytes = golden_picture(name);
      const auto expected = prepare_picture(bytes, options, {});
      const auto picture = reader.prepare_picture(bytes, options);
      ASSERT_TRUE(picture.ok()) << picture.message();
      EXPECT_EQ(picture.value().original, expected.value().original);
      EXPECT_EQ(picture.value().pixels.size, expected.value().pixels.size);
      EXPECT_EQ(picture.value().pixels.rgb, expected.value().pixels.rgb);
      EXPECT_EQ(picture.value().budget, expected.value().budget);
      EXPECT_EQ(picture.value().n_soft_tokens, expected.value().n_soft_tokens);
    }
  }
}

TEST(MediaReader, RefusesABudgetThatNoTowerHasBeforeAnythingIsStarted) {
  MediaReader reader({"/there/is/no/helper", {}}, quick());
  const auto bytes = golden_picture("wide.png");
  for (const int wrong : {256, 0, -1, 1121}) {
    const std::string refusal =
        fmt::format("cannot take {} soft tokens at most: expected one of 70, 140", wrong);
    const auto picture = reader.prepare_picture(bytes, {wrong});
    ASSERT_FALSE(picture.ok());
    EXPECT_THAT(picture.message(), StartsWith(refusal));
    const auto here = prepare_picture(bytes, {wrong}, {});
    ASSERT_FALSE(here.ok());
    EXPECT_THAT(here.message(), StartsWith(refusal));
  }
}

TEST(MediaReader, SaysWhatIsWrongWithAPictureAsThisProcessWould) {
  MediaReader reader(test_helper("read"), quick());
  std::vector<std::byte> bytes = golden_picture("wide.png");
  const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + 1000);
  const std::vector<std::byte> text(500, std::byte{'x'});
  for (const auto& bad : {cut, text}) {
    const auto refused = reader.prepare_picture(bad, {});
    EXPECT_EQ(refused.message(), prepare_picture(bad, {}, {}).message());
  }
  EXPECT_EQ(reader.prepare_picture({}, {}).message(), "is empty");
}

TEST(MediaReader, TakesItsLimitsAlong) {
  ReaderLimits limits;
  limits.max_bytes = 10;
  MediaReader small(test_helper("read"), limits);
  EXPECT_THAT(small.prepare_picture(golden_picture("wide.png"), {}).message(),
              HasSubstr("at most 10 bytes are read"));
  EXPECT_TRUE(children().empty());
  limits = {};
  limits.decode.max_pixels = 1000;
  MediaReader few(test_helper("read"), limits);
  const auto refused = few.prepare_picture(golden_picture("wide.png"), {});
  EXPECT_THAT(refused.message(), HasSubstr("at most 1,000 are read"));
}

TEST(MediaReader, SurvivesWhatAFileMakesOfADecoder) {
  EXPECT_EQ(outcome("crash"), "made its decoder crash");
  EXPECT_EQ(outcome("abort"), "made its decoder crash");
  EXPECT_EQ(outcome("throw"), "made its decoder crash");
  EXPECT_EQ(outcome("exit"), "made its decoder crash");
  EXPECT_EQ(outcome("hang", quick(0.2)), "takes more than 200.0 ms to be read");
  EXPECT_EQ(outcome("reads nothing", quick(0.2)), "takes more than 200.0 ms to be read");
}

TEST(MediaReader, BoundsTheMemoryOfADecoder) {
  if (kSanitized) GTEST_SKIP() << "sanitizers take addresses for themselves";
  ReaderLimits limits;
  limits.memory_bytes = std::uint64_t{200} << 20;
  EXPECT_EQ(outcome("memory", limits), "takes more than 210 MB of memory to be read");
}

TEST(MediaReader, BelievesNoAnswerThatCannotBe) {
  for (const char* helper :
       {"nonsense", "too large", "more bytes than pixels", "long text", "no text"}) {
    EXPECT_EQ(outcome(helper), "made its decoder answer nonsense") << helper;
  }
  EXPECT_EQ(outcome("half"), "made its decoder crash");
  EXPECT_EQ(outcome("answers at once"), "was seen");
}

TEST(MediaReader, ShowsNoControlCharactersOfAHelper) {
  const std::string text = outcome("controls");
  EXPECT_THAT(text, StartsWith("is \\x1b[31mred\\x07\\x0axxx"));
  EXPECT_LE(text.size(), 1100U);
}

TEST(MediaReader, ReadsNothingWhereNoProcessIsConfined) {
  for (const HelperProgram& program :
       {HelperProgram{"/nowhere", {}}, test_helper("not confined"), {"/bin/true", {}}}) {
    MediaReader reader(program, quick());
    for (int i = 0; i < 3; ++i) {
      EXPECT_THROW(static_cast<void>(reader.prepare_picture(golden_picture("tiny.png"), {})),
                   Error);
    }
    EXPECT_THROW(reader.confinement(), Error);
  }
}

TEST(MediaReader, SaysHowItsProcessesAreConfined) {
  MediaReader reader(test_helper("read"), quick());
  EXPECT_THAT(reader.confinement(), StartsWith("filter of system calls, limits"));
}

TEST(MediaReader, ShowsAPictureToAProcessThatSeesNoOther) {
  MediaReader reader(test_helper("tell"), quick());
  std::set<std::string> seen;
  for (int i = 0; i < 5; ++i) {
    const std::string text = reader.prepare_picture(golden_picture("tiny.png"), {}).message();
    EXPECT_THAT(text, ContainsRegex("^process [0-9]+ saw 1 of "));
    seen.insert(text);
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST(MediaReader, EndsAPictureThatNobodyWantsAnyMore) {
  MediaReader reader(test_helper("hang"), quick());
  std::atomic<int> n_asked = 0;
  const auto picture =
      reader.prepare_picture(golden_picture("tiny.png"), {}, [&] { return ++n_asked > 3; });
  EXPECT_EQ(picture.message(), "was given up");
}

TEST(MediaReader, ReadsSoManyAtATimeAndTheOthersLater) {
  ReaderLimits limits = quick();
  limits.max_processes = 1;
  MediaReader reader(test_helper("hang"), limits);
  std::atomic<bool> runs = false;
  std::atomic<bool> enough = false;
  std::thread first([&] {
    const auto given_up = reader.prepare_picture(golden_picture("tiny.png"), {}, [&] {
      runs = true;
      return enough.load();
    });
    EXPECT_EQ(given_up.message(), "was given up");
  });
  until([&] { return runs.load(); });
  // That one and the one that is kept ready; who waits has none.
  std::atomic<int> n_asked = 0;
  const auto second =
      reader.prepare_picture(golden_picture("tiny.png"), {}, [&] { return ++n_asked > 2; });
  EXPECT_EQ(second.message(), "was given up");
  EXPECT_LE(children().size(), 2U);
  enough = true;
  first.join();
}

TEST(MediaReader, StaysWellUnderAFloodOfBadPictures) {
  const std::size_t descriptors = n_descriptors();
  {
    ReaderLimits limits = quick();
    limits.max_processes = 3;
    MediaReader good(test_helper("read"), limits);
    MediaReader bad(test_helper("crash"), limits);
    const auto bytes = golden_picture("tall.png");
    const auto expected = prepare_picture(bytes, {}, {});
    std::vector<std::thread> senders;
    std::atomic<int> n_good = 0;
    std::atomic<int> n_bad = 0;
    for (int i = 0; i < 6; ++i) {
      senders.emplace_back([&, is_bad = i % 2 == 0] {
        for (int k = 0; k < 4; ++k) {
          const auto picture = (is_bad ? bad : good).prepare_picture(bytes, {});
          if (is_bad) {
            n_bad += !picture && picture.message() == "made its decoder crash";
          } else {
            n_good += picture && picture.value().pixels.rgb == expected.value().pixels.rgb;
          }
        }
      });
    }
    for (std::thread& sender : senders) sender.join();
    EXPECT_EQ(n_good, 12);
    EXPECT_EQ(n_bad, 12);
  }
  EXPECT_EQ(n_descriptors(), descriptors);
  EXPECT_TRUE(children().empty());  // none that runs, none that nobody saw end
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(MediaReader, KeepsAProcessReadyUntilThereAreNoPictures) {
  ReaderLimits limits = quick();
  limits.idle_seconds = 1e6;
  {
    MediaReader reader(test_helper("read"), limits);
    EXPECT_TRUE(children().empty());
    ASSERT_TRUE(reader.prepare_picture(golden_picture("tiny.png"), {}).ok());
    until([] { return children().size() == 1; });
    // One that the system has ended meanwhile costs no picture.
    const pid_t ready = *children().begin();
    ::kill(ready, SIGKILL);
    siginfo_t ended = {};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(ready), &ended, WEXITED | WNOWAIT), 0);
    ASSERT_TRUE(reader.prepare_picture(golden_picture("tiny.png"), {}).ok());
    until([&] { return children().size() == 1 && *children().begin() != ready; });
  }
  EXPECT_TRUE(children().empty());
  limits.idle_seconds = 0.05;
  MediaReader reader(test_helper("read"), limits);
  ASSERT_TRUE(reader.prepare_picture(golden_picture("tiny.png"), {}).ok());
  until([] { return children().empty(); });
  ASSERT_TRUE(reader.prepare_picture(golden_picture("tiny.png"), {}).ok());
}

}  // namespace
}  // namespace pleiad::media
