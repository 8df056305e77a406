// A file of 2 GB over loopback: by the curl program, without a checksum, and by download_file()
// with its SHA-256, by one connection and by four. Each runs in a process of its own, whose time
// and peak memory count; the server is this process. TMPDIR says where the files are.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "digest/sha256.h"
#include "download/download_file.h"
#include "download/testing/fault_server.h"

namespace pleiad::download::testing {
namespace {

constexpr std::uint64_t kBytes = 2'000'000'000;

/// The file, and a server that has it.
class Source {
 public:
  Source()
      : folder_(std::filesystem::temp_directory_path() /
                ("pleiad_download_rate_" + std::to_string(::getpid()))),
        server_([this](const Asking& asking, Wire& wire) { give_file(asking, wire); }) {
    std::filesystem::create_directories(folder_);
    const std::string some = some_file(1'000'000);
    std::ofstream out(folder_ / "source", std::ios::binary);
    Sha256 sum;
    for (std::uint64_t at = 0; at < kBytes; at += some.size()) {
      out << some;
      sum.add(some);
    }
    sha256_ = sum.hex();
    out.close();
    file_ = ::open((folder_ / "source").c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~Source() {
    ::close(file_);
    std::filesystem::remove_all(folder_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::string url() const { return server_.url("/file"); }
  const std::string& sha256() const { return sha256_; }
  std::filesystem::path target() const { return folder_ / "target"; }

 private:
  void give_file(const Asking& asking, Wire& wire) const {
    const std::uint64_t last = std::min(asking.last.value_or(kBytes - 1), kBytes - 1);
    const std::string length = std::to_string(last + 1 - asking.first);
    wire.send("HTTP/1.1 " + std::string(asking.last ? "206 Part" : "200 OK") +
              "\r\nContent-Length: " + length + "\r\nContent-Range: bytes " +
              std::to_string(asking.first) + "-" + std::to_string(last) + "/" +
              std::to_string(kBytes) + "\r\n\r\n");
    std::string buffer(256 << 10, '\0');
    for (std::uint64_t at = asking.first; at <= last && !wire.is_closed();) {
      const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), last + 1 - at);
      const ssize_t n = ::pread(file_, buffer.data(), wanted, static_cast<off_t>(at));
      if (n <= 0) return wire.close();
      wire.send({buffer.data(), static_cast<std::size_t>(n)});
      at += static_cast<std::uint64_t>(n);
    }
  }

  const std::filesystem::path folder_;
  std::string sha256_;
  int file_ = -1;
  FaultServer server_;
};

const Source& source() {
  static const Source only;
  return only;
}

template <typename Work>
void measure(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    std::filesystem::remove(source().target());
    const double begin = monotonic_seconds();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    int status = 0;
    rusage usage = {};
    ::wait4(child, &status, 0, &usage);
    const double seconds = monotonic_seconds() - begin;
    if (status != 0 || std::filesystem::file_size(source().target()) != kBytes) {
      state.SkipWithError("the download failed");
      return;
    }
    state.SetIterationTime(seconds);
    state.counters["MB/s"] = static_cast<double>(kBytes) / 1e6 / seconds;
    const auto seconds_of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    state.counters["cpu_s"] = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
  }
}

void curl_without_checksum(benchmark::State& state) {
  const std::string url = source().url();
  const std::string target = source().target();
  measure(state, [&] {
    ::execlp("curl", "curl", "-s", "--noproxy", "*", "-o", target.c_str(), url.c_str(), nullptr);
    return false;
  });
}

void download_with_sha256(benchmark::State& state) {
  const FileRequest request = {.url = source().url(),
                               .size = kBytes,
                               .sha256 = source().sha256(),
                               .partial = source().target(),
                               .connections = static_cast<int>(state.range(0))};
  measure(state, [&] {
    Session session(Surroundings{});
    return download_file(session, request, {}, {}).ok();
  });
}

BENCHMARK(curl_without_checksum)->Iterations(1)->Repetitions(5)->UseManualTime();
BENCHMARK(download_with_sha256)->Arg(1)->Iterations(1)->Repetitions(5)->UseManualTime();
BENCHMARK(download_with_sha256)->Arg(4)->Iterations(1)->Repetitions(5)->UseManualTime();
BENCHMARK(curl_without_checksum)
    ->Name("curl_again")
    ->Iterations(1)
    ->Repetitions(5)
    ->UseManualTime();

}  // namespace
}  // namespace pleiad::download::testing
