// What programs that read documents do that are taken over, killed, that hang or write without end,
// and documents that are made to hurt: each costs its own request, and a good one is read as ever.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.h"
#include "media/documents/documents_testing.h"

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

DocumentLimits limits_of(double seconds) {
  DocumentLimits limits;
  limits.seconds = seconds;
  limits.seconds_a_picture = seconds;
  return limits;
}

class HostilePoppler : public ::testing::Test {
 protected:
  Result<Document> read(const std::string& what, const DocumentLimits& limits = {}) {
    DocumentReader reader(test_converter(), limits, {poppler_.folder()});
    return reader.read(document_bytes("%PDF-" + what + "\n"), "-f", {});
  }
  std::string outcome(const std::string& what, const DocumentLimits& limits = {}) {
    const auto document = read(what, limits);
    EXPECT_THAT(children(), IsEmpty()) << what;
    return document ? document.value().pages.at(0).text : document.message();
  }

  FakePoppler poppler_;
};

TEST_F(HostilePoppler, CanDoNothingButItsWork) { EXPECT_EQ(outcome("escape"), "could do:"); }

TEST_F(HostilePoppler, CostsItsOwnDocumentWhateverItDoes) {
  EXPECT_EQ(outcome("well"), "twelve letters and more");
  EXPECT_EQ(outcome("crash"), "is a PDF that made poppler crash");
  EXPECT_THAT(outcome("hang", limits_of(0.3)), HasSubstr("takes more than 300.0 ms to be read"));
  EXPECT_THAT(outcome("closes and hangs", limits_of(0.3)), HasSubstr("takes more than 300.0 ms"));
  EXPECT_THAT(outcome("no pages told"), HasSubstr("answer nonsense"));
  EXPECT_EQ(outcome("well"), "twelve letters and more");
}

TEST_F(HostilePoppler, MayFloodWhatItWritesTo) {
  EXPECT_EQ(outcome("flood"), "is a PDF that is read as more than it may be");
  EXPECT_EQ(outcome("flood of errors"), "twelve letters and more");
  EXPECT_THAT(outcome("flood of pixels"),
              StartsWith("is a PDF that is read as more than it may be"));
}

TEST_F(HostilePoppler, IsBoundedInItsMemory) {
  DocumentLimits limits;
  limits.memory_bytes = std::uint64_t{300} << 20;
  EXPECT_THAT(outcome("memory", limits), StartsWith("is a PDF that"));
}

TEST_F(HostilePoppler, IsNotBelieved) {
  EXPECT_EQ(outcome("lies"), "twelve letters and more");
  EXPECT_EQ(outcome("controls"), "red [31m and \uFFFD and , twelve letters and more");
  const auto scan = read("scan");
  ASSERT_TRUE(scan.ok()) << scan.message();
  EXPECT_FALSE(scan.value().pages[0].picture);
  EXPECT_THAT(scan.value().warnings,
              ::testing::ElementsAre("page 1 is damaged and could not be drawn"));
}

TEST_F(HostilePoppler, IsBelievedThatFontsAreMissing) {
  const auto document = read("no fonts");
  ASSERT_TRUE(document.ok()) << document.message();
  EXPECT_TRUE(document.value().pages[0].picture);
  EXPECT_THAT(document.value().warnings,
              ::testing::ElementsAre(HasSubstr("has no font for some of the text")));
}

TEST_F(HostilePoppler, SaysNothingThatATerminalObeys) {
  EXPECT_EQ(outcome("status"), "is a PDF that cannot be read: Syntax Error: \\x1b[31mred\\x07");
}

TEST_F(HostilePoppler, LeavesNothingBehindWhereManyComeAtOnce) {
  const std::size_t descriptors = n_descriptors();
  {
    DocumentLimits limits;
    limits.max_processes = 2;
    DocumentReader reader(test_converter(), limits, {poppler_.folder()});
    std::atomic<int> n_right = 0;
    std::vector<std::thread> senders;
    for (int i = 0; i < 4; ++i) {
      senders.emplace_back([&, is_bad = i % 2 == 0] {
        for (int k = 0; k < 3; ++k) {
          const auto document =
              reader.read(document_bytes(is_bad ? "%PDF-crash\n" : "%PDF-well\n"), "", {});
          n_right += is_bad
                         ? !document && document.message() == "is a PDF that made poppler crash"
                         : document && document.value().pages[0].text == "twelve letters and more";
        }
      });
    }
    for (std::thread& sender : senders) sender.join();
    EXPECT_EQ(n_right, 12);
  }
  EXPECT_EQ(n_descriptors(), descriptors);
  EXPECT_THAT(children(), IsEmpty());
}

TEST(LostConverters, ReadNothing) {
  for (const HelperProgram& program :
       {HelperProgram{"/nowhere", {}}, HelperProgram{"/bin/true", {}}, test_converter({"lost"})}) {
    DocumentReader reader(program, {});
    const auto page = document_bytes("<html>x");
    EXPECT_THROW(static_cast<void>(reader.read(page, "", {})), Error) << program.path;
  }
}

}  // namespace
}  // namespace pleiad::media
