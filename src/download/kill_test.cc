#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "download/testing/file_test.h"

namespace pleiad::download::testing {
namespace {

class DownloadKilled : public FileTest {
 protected:
  /// Downloads in a process of its own, which is killed after so long, and says how that ended:
  /// 0: with the file.
  int download_and_kill(const FileRequest& request, std::chrono::microseconds after) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool done = fetch(request).ok();
      ::_exit(done ? 0 : 1);
    }
    std::this_thread::sleep_for(after);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
};

// What is in flight when it happens is fetched again, and nothing else: at most a piece of each
// connection.
TEST_F(DownloadKilled, LeavesABeginningThatTheNextRunResumes) {
  constexpr std::uint64_t kKills = 50;
  constexpr std::uint64_t kInFlight = std::uint64_t{4} << 20;
  std::atomic<std::uint64_t> n_sent = 0;
  std::atomic<bool> is_slow = true;
  FaultServer server([&](const Asking& asking, Wire& wire) {
    const FileAnswerParts parts = parts_of_answer(asking, file_, {});
    wire.send(parts.head);
    for (std::string_view rest = parts.body; !rest.empty() && !wire.is_closed();) {
      const std::string_view some = rest.substr(0, 16'000);
      wire.send(some);
      n_sent += some.size();
      rest.remove_prefix(some.size());
      if (is_slow) wire.wait(0.02);
    }
  });
  const FileRequest request = this->request(server.url("/model"));
  std::mt19937 chance(5);
  std::uint64_t before = 0;
  for (std::uint64_t n_kills = 0; n_kills < kKills; ++n_kills) {
    ASSERT_NE(download_and_kill(request, std::chrono::microseconds(chance() % 200'000)), 0)
        << "it came before it was killed";
    ASSERT_TRUE(is_prefix());
    const std::uint64_t now = on_disk().size();
    ASSERT_GE(now, before) << "what was there stays there";
    before = now;
  }
  EXPECT_GT(before, 0u);
  is_slow = false;
  const auto receipt = fetch(request);
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().resumed, before);
  EXPECT_LE(n_sent - file_.size(), kKills * kInFlight);
  RecordProperty("bytes_sent_twice", std::to_string(n_sent - file_.size()));
  RecordProperty("bytes_before_the_last_run", std::to_string(before));
}

}  // namespace
}  // namespace pleiad::download::testing
