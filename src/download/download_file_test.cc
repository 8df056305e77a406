#include "download/download_file.h"

#include <algorithm>

#include "download/partial_file.h"
#include "download/testing/file_test.h"

namespace pleiad::download::testing {
namespace {

using ::testing::HasSubstr;

class DownloadFile : public FileTest {};

TEST_F(DownloadFile, ComesInPiecesBySeveralConnections) {
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().size, file_.size());
  EXPECT_EQ(receipt.value().sha256, sha256_hex(file_));
  EXPECT_EQ(receipt.value().etag, "\"one\"");
  EXPECT_EQ(receipt.value().host, "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(receipt.value().fetched, file_.size());
  EXPECT_EQ(receipt.value().fetched_again, 0u);
  EXPECT_EQ(receipt.value().resumed, 0u);
  EXPECT_EQ(receipt.value().retries, 0);
  EXPECT_GE(server.n_requests(), 3);
  for (const Asking& asking : server.requests()) {
    EXPECT_EQ(asking.header("accept-encoding"), "identity");
  }
  EXPECT_TRUE(std::ranges::is_sorted(so_far_));
  EXPECT_EQ(so_far_.back(), file_.size());
}

TEST_F(DownloadFile, TellsTheSizeAndTheSumWhereNobodyKnewThem) {
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  const auto receipt = fetch({.url = server.url("/model"), .partial = partial()});
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  for (const Asking& asking : server.requests()) {
    EXPECT_EQ(asking.header("if-range"), asking.number == 0 ? "" : "\"one\"");
  }
  EXPECT_EQ(receipt.value().sha256, sha256_hex(file_));
}

TEST_F(DownloadFile, OfFewBytesOrNone) {
  for (const std::string& file : {std::string(), std::string("x"), some_file(1 << 20)}) {
    for (const bool ranges : {true, false}) {
      FaultServer server(
          [&](const Asking& asking, Wire& wire) { give(asking, wire, file, {.ranges = ranges}); });
      const auto receipt =
          fetch({.url = server.url("/"), .sha256 = sha256_hex(file), .partial = partial()});
      ASSERT_TRUE(receipt) << receipt.message() << file.size() << ranges;
      EXPECT_EQ(on_disk(), file);
      EXPECT_EQ(server.n_requests(), 1) << file.size() << ranges;
      std::filesystem::remove(partial());
    }
  }
}

TEST_F(DownloadFile, ComesByOneConnectionWhereThereAreNoRanges) {
  FaultServer server(
      [&](const Asking& asking, Wire& wire) { give(asking, wire, file_, {.ranges = false}); });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(server.n_requests(), 1);
}

TEST_F(DownloadFile, IsResumedFromWhereItEnds) {
  put_on_disk(file_.substr(0, 5'000'000));
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().resumed, 5'000'000u);
  EXPECT_EQ(receipt.value().fetched, file_.size() - 5'000'000);
  EXPECT_EQ(server.requests().front().first, 5'000'000u);
}

TEST_F(DownloadFile, IsResumedAsWellWhereThereAreNoRanges) {
  put_on_disk(file_.substr(0, 5'000'000));
  FaultServer server(
      [&](const Asking& asking, Wire& wire) { give(asking, wire, file_, {.ranges = false}); });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().fetched, file_.size());
  EXPECT_EQ(receipt.value().fetched_again, 5'000'000u);
}

TEST_F(DownloadFile, ThatIsHereIsOnlyHashed) {
  put_on_disk(file_);
  FaultServer server([&](const Asking&, Wire& wire) { wire.send(answer(404)); });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(receipt.value().resumed, file_.size());
  EXPECT_EQ(server.n_requests(), 0);
}

TEST_F(DownloadFile, WithoutASumIsResumedByItsETag) {
  put_on_disk(file_);
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  const auto receipt = fetch(
      {.url = server.url("/model"), .size = file_.size(), .etag = "\"one\"", .partial = partial()});
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(receipt.value().fetched, 1u) << "something must be asked for";
  EXPECT_EQ(on_disk(), file_);
}

TEST_F(DownloadFile, WithoutASumAndAnETagIsNotResumed) {
  put_on_disk(some_file(5'000'000, 7));
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  FileRequest unknown = request(server.url("/model"));
  unknown.sha256.clear();
  for (const char* etag : {"", "\"two\""}) {
    put_on_disk(some_file(5'000'000, 7));
    unknown.etag = etag;
    notes_.clear();
    const auto receipt = fetch(unknown);
    if (*etag) {  // the host keeps saying that it has another file than it had
      EXPECT_EQ(receipt.trouble(), Trouble::changed);
      continue;
    }
    ASSERT_TRUE(receipt) << receipt.message();
    EXPECT_EQ(on_disk(), file_);
    EXPECT_EQ(receipt.value().resumed, 0u);
    EXPECT_THAT(notes_.at(0), HasSubstr("from its beginning"));
  }
}

TEST_F(DownloadFile, WithoutASumIsNotResumedWhereTheHostGivesNoETagAnyMore) {
  put_on_disk(some_file(5'000'000, 7));
  FaultServer server(
      [&](const Asking& asking, Wire& wire) { give(asking, wire, file_, {.etag = ""}); });
  FileRequest unknown = request(server.url("/model"));
  unknown.sha256.clear();
  unknown.etag = "\"one\"";
  const auto receipt = fetch(unknown);
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_THAT(notes_.at(0), HasSubstr("does not say by an ETag"));
}

TEST_F(DownloadFile, LongerThanItShouldBeStartsOver) {
  put_on_disk(file_ + "x");
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  ASSERT_TRUE(fetch(request(server.url("/model"))));
  EXPECT_EQ(on_disk(), file_);
  EXPECT_THAT(notes_.at(0), HasSubstr("from its beginning"));
}

TEST_F(DownloadFile, WithAWrongBeginningStartsOverInTheEnd) {
  put_on_disk(some_file(5'000'000, 7));
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  const auto receipt = fetch(request(server.url("/model")));
  ASSERT_TRUE(receipt) << receipt.message();
  EXPECT_EQ(on_disk(), file_);
  EXPECT_EQ(receipt.value().resumed, 0u);
  EXPECT_EQ(receipt.value().fetched_again, 2 * (file_.size() - 5'000'000));
  EXPECT_THAT(notes_.at(0), HasSubstr("from byte 5000000"));
  EXPECT_THAT(notes_.at(1), HasSubstr("again from its beginning"));
}

TEST_F(DownloadFile, ThatGotItsFinalNameMeanwhileIsNotTouched) {
  // Somebody else finishes it, and renames it, between our opening it and our lock.
  put_on_disk(file_);
  auto held = PartialFile::open(partial());
  ASSERT_TRUE(held);
  std::filesystem::rename(partial(), root_ / "final");
  const auto other = PartialFile::open(partial());
  ASSERT_TRUE(other) << "a new file of that name";
  EXPECT_EQ(other.value()->size(), 0u);
  held.value()->remove();
  EXPECT_TRUE(std::filesystem::exists(root_ / "final"));
  EXPECT_TRUE(std::filesystem::exists(partial())) << "it is not that one's to remove";
}

TEST_F(DownloadFile, ThatIsStoppedIsABeginning) {
  FaultServer server([&](const Asking& asking, Wire& wire) {
    const FileAnswerParts parts = parts_of_answer(asking, file_, {});
    wire.send(parts.head);
    wire.send(parts.body.substr(0, 700'000));
    wire.hang();
  });
  const auto receipt = fetch(request(server.url("/model")),
                             [&] { return !so_far_.empty() && so_far_.back() >= 700'000; });
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.trouble(), Trouble::stopped);
  EXPECT_TRUE(is_prefix());
  EXPECT_GE(on_disk().size(), 700'000u) << "what came in order is there soon, and stays";
}

TEST_F(DownloadFile, IsWrittenByOneDownloadAtATime) {
  FaultServer server([&](const Asking& asking, Wire& wire) {
    Outcome<FileReceipt> second = fetch(request("http://127.0.0.1:1/"));
    EXPECT_EQ(second.trouble(), Trouble::busy);
    EXPECT_THAT(second.message(), HasSubstr(partial().string()));
    give(asking, wire, file_);
  });
  FileRequest one = request(server.url("/model"));
  one.connections = 1;
  ASSERT_TRUE(fetch(one));
}

TEST_F(DownloadFile, ThatCannotBeOpenedSaysSo) {
  FileRequest nowhere = request("http://127.0.0.1:1/");
  nowhere.partial = root_ / "none/file";
  EXPECT_EQ(fetch(nowhere).trouble(), Trouble::local_file);
  nowhere.partial = root_;
  EXPECT_EQ(fetch(nowhere).trouble(), Trouble::local_file);
  std::filesystem::create_symlink("/etc/hostname", root_ / "link");
  nowhere.partial = root_ / "link";
  EXPECT_EQ(fetch(nowhere).trouble(), Trouble::local_file) << "links are not followed";
}

TEST_F(DownloadFile, FromNobodyLeavesNothingAndDoesNotWait) {
  surroundings_.retry.first_wait = 60;
  const auto receipt = fetch(request("http://127.0.0.1:1/model"));
  EXPECT_EQ(receipt.trouble(), Trouble::unreachable);
  EXPECT_THAT(receipt.message(), HasSubstr("127.0.0.1:1: takes no connection"));
  EXPECT_FALSE(std::filesystem::exists(partial()));
}

TEST_F(DownloadFile, ThatDoesNotFitIsNotBegun) {
  FaultServer server([&](const Asking& asking, Wire& wire) { give(asking, wire, file_); });
  FileRequest huge = request(server.url("/model"));
  huge.size = std::uint64_t{1} << 60;
  const auto receipt = fetch(huge);
  EXPECT_EQ(receipt.trouble(), Trouble::no_space);
  EXPECT_THAT(receipt.message(), HasSubstr("stay free for others"));
  EXPECT_EQ(server.n_requests(), 0);
}

}  // namespace
}  // namespace pleiad::download::testing
