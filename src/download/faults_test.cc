#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "download/testing/file_test.h"

namespace pleiad::download::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DownloadFaults : public FileTest {
 protected:
  /// An answer that is cut after so many bytes of its body.
  static void give_part(const Asking& asking, Wire& wire, const std::string& file, std::size_t n,
                        const Serving& serving = {}) {
    const FileAnswerParts parts = parts_of_answer(asking, file, serving);
    wire.send(parts.head);
    wire.send(parts.body.substr(0, n));
    if (n < parts.body.size()) wire.close();
  }
};

TEST_F(DownloadFaults, AConnectionThatIsCutAgainAndAgainCostsLittle) {
  for (const bool ranges : {true, false}) {
    FaultServer server([&](const Asking& asking, Wire& wire) {
      const std::size_t n = ranges ? 300'000 : 2'000'000 * (std::size_t(asking.number) + 1);
      give_part(asking, wire, file_, n, {.ranges = ranges});
    });
    const auto receipt = fetch(request(server.url("/model")));
    ASSERT_TRUE(receipt) << receipt.message();
    EXPECT_EQ(on_disk(), file_);
    EXPECT_GT(receipt.value().retries, 3);
    if (ranges) {
      EXPECT_EQ(receipt.value().fetched_again, 0u) << "what came before the cut is kept";
    }
    std::filesystem::remove(partial());
  }
}

TEST_F(DownloadFaults, AHostThatBringsNothingIsGivenUpAndTheBeginningKept) {
  put_on_disk(file_.substr(0, 1'000'000));
  FaultServer server([&](const Asking& asking, Wire& wire) {
    give_part(asking, wire, file_, asking.number == 0 ? 100'000 : 0);
  });
  const auto receipt = fetch(request(server.url("/model")));
  EXPECT_EQ(receipt.trouble(), Trouble::unreachable);
  EXPECT_THAT(receipt.message(), AllOf(HasSubstr("the connection broke"), HasSubstr("4 times")));
  EXPECT_TRUE(is_prefix());
  EXPECT_EQ(on_disk().size(), 1'100'000u);
}

TEST_F(DownloadFaults, AConnectionThatStallsIsReplaced) {
  std::atomic<int> n_stalls = 0;
  FaultServer server([&](const Asking& asking, Wire& wire) {
    if (asking.number == 1 || asking.number == 2) {
      ++n_stalls;
      const FileAnswerParts parts = parts_of_answer(asking, file_, {});
      wire.send(parts.head);
      wire.send(parts.body.substr(0, 1000));
      wire.hang();
      return;
    }
    give(asking, wire, file_);
  });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().retries, n_stalls);
}

TEST_F(DownloadFaults, RangesMayBeGivenInPartsButNotByteByByte) {
  std::uint64_t most = 100'000;
  FaultServer server([&](const Asking& asking, Wire& wire) {
    Asking less = asking;
    less.last = std::min(*asking.last, asking.first + most - 1);
    give(less, wire, file_);
  });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().retries, 0);
  std::filesystem::remove(partial());
  most = 1;
  const auto bytes = fetch(request(server.url("/model")));
  EXPECT_EQ(bytes.trouble(), Trouble::unreachable);
  EXPECT_THAT(bytes.message(), HasSubstr("in parts of 1 bytes"));
}

TEST_F(DownloadFaults, AConnectionThatIsMuchSlowerThanOthersIsReplaced) {
  constexpr std::uint64_t kSecondPiece = 1 << 20;
  std::atomic<int> n_slow = 0;
  FaultServer server([&](const Asking& asking, Wire& wire) {
    if (asking.first == kSecondPiece && n_slow++ == 0) {  // alive, and 20 s for a mebibyte
      const FileAnswerParts parts = parts_of_answer(asking, file_, {});
      wire.send(parts.head);
      for (std::string_view rest = parts.body; !rest.empty() && !wire.is_closed();) {
        wire.send(rest.substr(0, 1000));
        rest.remove_prefix(std::min<std::size_t>(rest.size(), 1000));
        wire.wait(0.02);
      }
      return;
    }
    give(asking, wire, file_);
  });
  surroundings_.retry.slow_seconds = 0.2;
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_GE(receipt.value().retries, 1);
  EXPECT_TRUE(std::ranges::any_of(server.requests(), [](const Asking& asking) {
    return asking.first > kSecondPiece && asking.first < 2 * kSecondPiece;
  })) << "the rest of it was asked for by another connection";
}

TEST_F(DownloadFaults, ASlowDripIsAStall) {
  FaultServer server([&](const Asking& asking, Wire& wire) {
    const FileAnswerParts parts = parts_of_answer(asking, file_, {});
    wire.send(parts.head);
    for (const char& byte : parts.body) {
      wire.send({&byte, 1});
      wire.wait(0.02);
      if (wire.is_closed()) return;
    }
  });
  FileRequest drip = request(server.url("/model"));
  drip.connections = 1;
  surroundings_.retry.attempts = 2;
  surroundings_.retry.stall_seconds = 0.2;
  const auto receipt = fetch(drip);
  EXPECT_EQ(receipt.trouble(), Trouble::unreachable)
      << "the few bytes of an attempt are no progress";
  EXPECT_THAT(receipt.message(), HasSubstr("as good as nothing"));
  EXPECT_GT(on_disk().size(), 4u);
  EXPECT_TRUE(is_prefix());
}

TEST_F(DownloadFaults, AHostThatIsBusyIsWaitedFor) {
  for (const char* status : {"429", "503", "502", "408"}) {
    FaultServer server([&](const Asking& asking, Wire& wire) {
      if (asking.number < 2) {
        wire.send(answer(std::stoi(status), "Retry-After: 0\r\n", "later"));
        return;
      }
      give(asking, wire, file_);
    });
    const auto receipt = fetch(request(server.url("/model")));
    ASSERT_TRUE(receipt) << status << receipt.message();
    EXPECT_EQ(receipt.value().retries, 2) << status;
    std::filesystem::remove(partial());
  }
}

TEST_F(DownloadFaults, RetryAfterIsObeyedWithinReason) {
  surroundings_.retry.longest_asked = 5;
  std::atomic<std::int64_t> seconds = 1;
  FaultServer server([&](const Asking& asking, Wire& wire) {
    if (asking.number % 2 == 0) {
      wire.send(answer(503, "Retry-After: " + std::to_string(seconds) + "\r\n", "busy"));
      return;
    }
    give(asking, wire, file_);
  });
  const auto begin = std::chrono::steady_clock::now();
  FileRequest one = request(server.url("/model"));
  one.size = 0;
  one.connections = 1;
  put_on_disk(file_.substr(0, file_.size() - 10));
  ASSERT_TRUE(fetch(one));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  std::filesystem::remove(partial());
  seconds = 3600;
  const auto receipt = fetch(one);
  EXPECT_EQ(receipt.trouble(), Trouble::refused);
  EXPECT_EQ(receipt.status(), 503);
  EXPECT_THAT(receipt.message(), AllOf(HasSubstr("503"), HasSubstr("Retry-After: 3600")));
}

TEST_F(DownloadFaults, AFlippedByteIsFoundAndTheHostNamed) {
  std::string lie = file_;
  lie[7'000'000] ^= 1;
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, lie); });
  const auto receipt = fetch(request(server.url("/model")));
  EXPECT_EQ(receipt.trouble(), Trouble::wrong_bytes);
  EXPECT_THAT(receipt.message(), AllOf(HasSubstr("127.0.0.1:" + std::to_string(server.port())),
                                       HasSubstr(sha256_hex(lie)), HasSubstr(sha256_hex(file_))));
  EXPECT_FALSE(std::filesystem::exists(partial()));
}

TEST_F(DownloadFaults, AFileOfAnotherLengthIsRefusedBeforeItsBytes) {
  const std::string longer = file_ + "x";
  for (const bool ranges : {true, false}) {
    FaultServer server(
        [&](const Asking& asking, Wire& wire) { give(asking, wire, longer, {.ranges = ranges}); });
    const auto receipt = fetch(request(server.url("/model")));
    EXPECT_EQ(receipt.trouble(), Trouble::wrong_bytes);
    EXPECT_THAT(receipt.message(), HasSubstr("has 9000002 bytes; expected 9000001"));
    EXPECT_FALSE(std::filesystem::exists(partial()));
  }
}

void send_chunked(Wire& wire, const std::string& body) {
  wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  wire.send(fmt::format("{:x}\r\n", body.size()) + body + "\r\n0\r\n\r\n");
}

TEST_F(DownloadFaults, ABodyThatIsLongerThanAnnouncedIsRefused) {
  FaultServer server([&](const Asking&, Wire& wire) { send_chunked(wire, file_ + "more"); });
  const auto receipt = fetch(request(server.url("/model")));
  EXPECT_EQ(receipt.trouble(), Trouble::wrong_bytes) << receipt.message();
  EXPECT_THAT(receipt.message(), HasSubstr("more bytes than it announced"));
  EXPECT_TRUE(is_prefix());
}

TEST_F(DownloadFaults, ABodyThatEndsEarlyIsAskedForAgain) {
  std::atomic<std::size_t> growth = 2'000'000;
  FaultServer server([&](const Asking& asking, Wire& wire) {
    send_chunked(wire, file_.substr(0, growth * (std::size_t(asking.number) + 1)));
  });
  const auto whole = fetch(request(server.url("/model")));
  ASSERT_TRUE(whole) << whole.message();
  EXPECT_EQ(on_disk(), file_);
  std::filesystem::remove(partial());
  growth = 0;
  const auto receipt = fetch(request(server.url("/model")));
  EXPECT_EQ(receipt.trouble(), Trouble::unreachable) << receipt.message();
  EXPECT_THAT(receipt.message(), HasSubstr("ends at byte 0 of 9000001 announced ones (4 times"));
}

TEST_F(DownloadFaults, AnswersThatMakeNoSenseAreRefused) {
  const std::string ten = "Content-Length: 10\r\n\r\n0123456789";
  const std::vector<std::string> answers = {
      "HTTP/1.1 206 P\r\nContent-Range: bytes 5-14/9000001\r\n" + ten,
      "HTTP/1.1 206 P\r\nContent-Range: bytes 0-10/9000001\r\n" + ten,
      "HTTP/1.1 206 P\r\nContent-Range: bytes 9-0/9000001\r\n" + ten,
      "HTTP/1.1 206 P\r\nContent-Type: multipart/byteranges; boundary=x\r\n" + ten,
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9000001\r\n\r\n",
      "HTTP/1.1 416 R\r\nContent-Range: bytes */9000001\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 404 Not Found\r\n" + ten};
  for (const std::string& bytes : answers) {
    FaultServer server([&](const Asking&, Wire& wire) { wire.send(bytes); });
    const auto receipt = fetch(request(server.url("/model")));
    EXPECT_EQ(receipt.trouble(), Trouble::refused) << bytes << receipt.message();
    EXPECT_THAT(receipt.message(), HasSubstr("127.0.0.1")) << bytes;
    EXPECT_EQ(server.n_requests(), 1) << bytes;
  }
  for (const std::string& bytes :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n"),
        std::string("HTTP/1.1 206 P\r\nX: ") + std::string(70'000, 'x') + "\r\n\r\n"}) {
    FaultServer server([&](const Asking&, Wire& wire) {
      wire.send(bytes);
      wire.close();
    });
    EXPECT_FALSE(fetch(request(server.url("/model")))) << bytes.substr(0, 40);
  }
}

TEST_F(DownloadFaults, AFileThatChangesIsFetchedFromItsBeginning) {
  const std::string other = some_file(file_.size(), 9);
  FaultServer server([&](const Asking& asking, Wire& wire) {
    const bool is_old = asking.number < 2;
    give(asking, wire, is_old ? other : file_, {.etag = is_old ? "\"old\"" : "\"new\""});
  });
  FileRequest unknown = request(server.url("/model"));
  unknown.sha256.clear();
  unknown.size = 0;
  const auto receipt = fetch(unknown);
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().etag, "\"new\"");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], AllOf(HasSubstr("\"old\""), HasSubstr("\"new\""),
                               HasSubstr("again from its beginning")));
}

TEST_F(DownloadFaults, AFileThatKeepsChangingIsGivenUp) {
  FaultServer server([&](const Asking& asking, Wire& wire) {
    give(asking, wire, file_, {.etag = "\"" + std::to_string(asking.number) + "\""});
  });
  FileRequest unknown = request(server.url("/model"));
  unknown.sha256.clear();
  EXPECT_EQ(fetch(unknown).trouble(), Trouble::changed);
}

TEST_F(DownloadFaults, AFileWhoseSumIsKnownIsNotJudgedByETags) {
  FaultServer server([&](const Asking& asking, Wire& wire) {
    EXPECT_EQ(asking.header("if-range"), "");
    give(asking, wire, file_, {.etag = "\"" + std::to_string(asking.number) + "\""});
  });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().fetched_again, 0u) << "mirrors that take turns cost nothing";
}

TEST_F(DownloadFaults, ALieBehindAGoodBeginningCostsTheLieAlone) {
  put_on_disk(file_.substr(0, 8'000'000));
  std::string lie = file_;
  lie[8'500'000] ^= 1;
  FaultServer server([&](const Asking& asking, Wire& wire) {
    give(asking, wire, asking.number == 0 ? lie : file_);
  });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().resumed, 8'000'000u);
  EXPECT_EQ(receipt.value().fetched_again, file_.size() - 8'000'000);
  EXPECT_THAT(notes_.at(0), AllOf(HasSubstr("127.0.0.1:"), HasSubstr("from byte 8000000")));
}

TEST_F(DownloadFaults, AnAuthorizationThatExpiresIsRenewed) {
  FaultServer server([&](const Asking& asking, Wire& wire) {
    const std::string wanted = asking.number < 3 ? "Bearer one" : "Bearer two";
    if (asking.header("authorization") != wanted) {
      wire.send(answer(401, "WWW-Authenticate: Bearer\r\n", "{\"error\":\"expired\"}"));
      return;
    }
    give(asking, wire, file_);
  });
  int n_renewed = 0;
  FileRequest with = request(server.url("/model"));
  with.authorization = [&](bool renew) -> Result<std::string> {
    n_renewed += renew;
    return std::string(renew ? "Bearer two" : "Bearer one");
  };
  const auto receipt = fetch(with);
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(n_renewed, 1) << "one connection renews for all";
  EXPECT_EQ(on_disk(), file_);
}

TEST_F(DownloadFaults, AnAuthorizationThatDoesNotHelpIsARefusal) {
  FaultServer server([&](const Asking&, Wire& wire) {
    wire.send(answer(403, "", "{\"error\":\"accept the licence\"}"));
  });
  FileRequest with = request(server.url("/model"));
  const auto without = fetch(with);
  EXPECT_EQ(without.trouble(), Trouble::refused);
  EXPECT_EQ(without.status(), 403);
  EXPECT_THAT(without.message(), HasSubstr("accept the licence"));
  with.authorization = [](bool) -> Result<std::string> { return std::string("Bearer x"); };
  EXPECT_EQ(fetch(with).status(), 403);
  with.authorization = [](bool renew) -> Result<std::string> {
    if (renew) return Failure{"log in again"};
    return std::string("Bearer x");
  };
  const auto failed = fetch(with);
  EXPECT_EQ(failed.message(), "log in again");
  EXPECT_EQ(failed.status(), 403);
}

TEST_F(DownloadFaults, ASignedUrlThatExpiresIsFoundAgainAndGetsNoSecrets) {
  std::atomic<int> signature = 0;
  FaultServer storage([&](const Asking& asking, Wire& wire) {
    EXPECT_EQ(asking.header("authorization"), "");
    const bool is_expired = asking.number == 2 || asking.number == 5;
    if (is_expired) ++signature;
    if (asking.path != "/bytes?signature=" + std::to_string(signature)) {
      wire.send(answer(403, "", "<Error>expired</Error>"));
      return;
    }
    give(asking, wire, file_, {.etag = "\"storage\""});
  });
  FaultServer home([&](const Asking& asking, Wire& wire) {
    EXPECT_EQ(asking.header("authorization"), "Bearer mine");
    wire.send(answer(302, "Location: " + storage.url("/bytes?signature=") +
                              std::to_string(signature) + "\r\nETag: \"home\"\r\n"));
  });
  FileRequest with = request(home.url("/model"));
  with.authorization = [](bool renew) -> Result<std::string> {
    EXPECT_FALSE(renew);
    return std::string("Bearer mine");
  };
  const auto receipt = fetch(with);
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_GE(home.n_requests(), 2) << "once, and after a refusal";
  EXPECT_LE(home.n_requests(), 5) << "of several connections that are refused one asks";
  EXPECT_EQ(receipt.value().etag, "\"storage\"");
}

TEST_F(DownloadFaults, RedirectsInACircleEnd) {
  FaultServer server(
      [&](const Asking&, Wire& wire) { wire.send(answer(302, "Location: /again\r\n")); });
  const auto receipt = fetch(request(server.url("/model")));
  EXPECT_EQ(receipt.trouble(), Trouble::refused);
  EXPECT_THAT(receipt.message(), HasSubstr("in a circle"));
  EXPECT_EQ(server.n_requests(), kMaxRedirects + 1);
}

/// While it lives, no file can grow beyond `bytes`: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int) = nullptr;
};

TEST_F(DownloadFaults, ADiskThatFillsUpKeepsWhatFits) {
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  {
    const FullDisk full(2'345'678);
    const auto receipt = fetch(request(server.url("/model")));
    EXPECT_EQ(receipt.trouble(), Trouble::no_space);
    EXPECT_THAT(receipt.message(), HasSubstr(partial().string()));
  }
  EXPECT_EQ(on_disk().size(), 2'345'678u);
  EXPECT_TRUE(is_prefix());
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(receipt.value().resumed, 2'345'678u);
}

}  // namespace
}  // namespace pleiad::download::testing
