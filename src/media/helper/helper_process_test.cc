#include "media/helper/helper_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/clock.h"
#include "base/error.h"
#include "base/testing/sanitizers.h"
#include "media/helper/helper_testing.h"

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;

constexpr HelperTask kTask = {HelperKind::picture, {std::uint64_t{1} << 30, 60}};
constexpr double kLong = 60;

Patience patience(double seconds = kLong) { return {monotonic_seconds() + seconds, {}}; }

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(HelperProcess, IsConfinedBeforeItReadsAByte) {
  const int ours = ::open("/dev/null", O_RDONLY);  // as one that a shell leaves: nothing closes it
  ASSERT_GE(ours, 0);
  ASSERT_EQ(::dup2(ours, 9), 9);
  ASSERT_EQ(::dup2(ours, 700), 700);
  HelperProcess process(test_helper("hang"), kTask);
  ASSERT_TRUE(process.await_ready(patience()).ok());
  const std::filesystem::path folder = "/proc/" + std::to_string(process.id());
  const std::string status = text_of_file(folder / "status");
  for (const char* line : {"\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n", "\nCapEff:\t0000000000000000\n",
                           "\nCapPrm:\t0000000000000000\n"}) {
    EXPECT_THAT(status, HasSubstr(line));
  }
  if (!kSanitized) {
    EXPECT_THAT(status, HasSubstr("\nThreads:\t1\n"));
  }
  EXPECT_EQ(status.find("\nUid:\t0\t"), std::string::npos) << status;
  const std::string limits = text_of_file(folder / "limits");
  if (!limits.empty()) {
    EXPECT_THAT(limits, ::testing::ContainsRegex("Max open files +0 +0 "));
    EXPECT_THAT(limits, ::testing::ContainsRegex("Max processes +0 +0 "));
    EXPECT_THAT(limits, ::testing::ContainsRegex("Max file size +0 +0 "));
    EXPECT_THAT(limits, ::testing::ContainsRegex("Max cpu time +60 +60 "));
  }
  EXPECT_EQ(text_of_file(folder / "oom_score_adj"), "1000\n");
  // Root alone may look at these.
  std::error_code not_allowed;
  std::set<std::string> descriptors;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "fd", not_allowed)) {
    descriptors.insert(entry.path().filename());
  }
  if (!not_allowed) {
    EXPECT_EQ(descriptors, (std::set<std::string>{"0", "1", "2"}));
  }
  for (const int fd : {ours, 9, 700}) ::close(fd);
}

TEST(HelperProcess, CanDoNothingButItsWork) {
  for (const HelperKind kind : {HelperKind::picture, HelperKind::stream}) {
    HelperProcess process(test_helper("escape"), {kind, kTask.limits});
    ASSERT_TRUE(process.await_ready(patience()).ok());
    const auto answer = process.read(golden_picture("tiny.png"), PictureOptions(), DecodeLimits(),
                                     patience(), kLong);
    EXPECT_EQ(answer.message(), "could do:");
  }
}

TEST(HelperProcess, HasNothingOfOurEnvironment) {
  ::setenv("PLEIAD_API_KEY", "secret", 1);
  HelperProcess process(test_helper("tell"), kTask);
  ASSERT_TRUE(process.await_ready(patience()).ok());
  const auto answer =
      process.read(golden_picture("tiny.png"), PictureOptions(), DecodeLimits(), patience(), kLong);
  EXPECT_THAT(answer.message(), HasSubstr("environment none"));
  ::unsetenv("PLEIAD_API_KEY");
}

std::string refusal_of(const HelperProgram& program, double seconds) {
  try {
    HelperProcess process(program, kTask);
    const auto ready = process.await_ready(patience(seconds));
    return ready ? "ready" : ready.message();
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(HelperProcess, ThatDoesNotStartOrConfineItselfReadsNothing) {
  EXPECT_EQ(refusal_of({"/nowhere/pleiad", {}}, kLong),
            "no picture, sound or video can be read here: a process for it cannot be started: No "
            "such file or "
            "directory");
  EXPECT_EQ(refusal_of({"/bin/true", {}}, kLong),
            "no picture, sound or video can be read here: the process for it does not start");
  EXPECT_EQ(refusal_of(test_helper("ends before it is ready"), kLong),
            "no picture, sound or video can be read here: the process for it does not start");
  EXPECT_EQ(refusal_of(test_helper("talks first"), kLong),
            "no picture, sound or video can be read here: the process for it does not start");
  EXPECT_EQ(refusal_of(test_helper("not confined"), kLong),
            "no picture, sound or video can be read here: its process cannot be confined: no "
            "\\x1b[1mway");
  EXPECT_EQ(
      refusal_of(test_helper("never ready"), 0.1),
      "no picture, sound or video can be read now: the process for it does not start in time");
}

}  // namespace
}  // namespace pleiad::media
