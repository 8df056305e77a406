#include "http/message_parser.h"

#include <gtest/gtest.h>

namespace pleiad::http {
namespace {

struct Outcome {
  std::string body;
  std::string rest;
  int status = 0;  // of a refusal
  bool head = false;
  bool done = false;
  RawHead raw;
};

/// Hands the bytes in as they would come in packets of `step` bytes.
Outcome parse(std::string_view bytes, std::size_t step) {
  MessageParser parser(1000, 10);
  Outcome outcome;
  std::string waiting;
  std::vector<std::string_view> pieces;
  while (!parser.is_done() && !parser.refusal() && !bytes.empty()) {
    waiting += bytes.substr(0, step);
    bytes.remove_prefix(std::min(step, bytes.size()));
    for (std::size_t used = 1; used > 0 && !waiting.empty() && !parser.is_done();) {
      pieces.clear();
      used = parser.put(waiting, pieces);
      for (const auto piece : pieces) outcome.body += piece;
      waiting.erase(0, used);
    }
  }
  outcome.rest = waiting + std::string(bytes);
  if (parser.refusal()) outcome.status = parser.refusal()->status;
  outcome.head = parser.has_head();
  outcome.done = parser.is_done();
  outcome.raw = parser.head();
  return outcome;
}

TEST(MessageParser, ReadsTheSameHoweverTheBytesAreCut) {
  const std::string sized =
      "POST /x?y HTTP/1.1\r\nHost: a\r\nX-Thing:  two words \r\nContent-Length: 5\r\n\r\nhelloNEXT";
  const std::string chunked =
      "POST /x?y HTTP/1.1\r\nHost: a\r\nX-Thing: two words\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;a=\"b\"\r\nhe\r\n3\r\nllo\r\n0\r\nLate: z\r\n\r\nNEXT";
  for (const std::string& text : {sized, chunked}) {
    for (const std::size_t step : {1U, 2U, 3U, 7U, 50U, 1000U}) {
      const Outcome outcome = parse(text, step);
      EXPECT_TRUE(outcome.done) << step;
      EXPECT_EQ(outcome.status, 0) << step;
      EXPECT_EQ(outcome.body, "hello") << step;
      EXPECT_EQ(outcome.rest, "NEXT") << step;
      EXPECT_EQ(outcome.raw.method, "POST");
      EXPECT_EQ(outcome.raw.target, "/x?y");
      ASSERT_EQ(outcome.raw.headers.size(), 3U);  // nothing of the trailer
      EXPECT_EQ(outcome.raw.headers[1].first, "x-thing");
      EXPECT_EQ(outcome.raw.headers[1].second, "two words");
    }
  }
}

TEST(MessageParser, RefusesWhatIsTooLong) {
  const std::string line = "GET / HTTP/1.1\r\n";
  for (const std::size_t step : {1U, 100U, 5000U}) {
    EXPECT_EQ(parse("GET /" + std::string(2000, 'x') + " HTTP/1.1\r\n\r\n", step).status, 414);
    EXPECT_EQ(parse(line + "X: " + std::string(2000, 'x') + "\r\n\r\n", step).status, 431);
    std::string fields;
    for (int i = 0; i < 11; ++i) fields += "X: y\r\n";
    EXPECT_EQ(parse(line + fields + "\r\n", step).status, 431);
    const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    if (step > 1000) continue;  // whoever hands in more at once has it in memory already
    EXPECT_EQ(parse(chunked + "1;" + std::string(2000, 'x') + "\r\n", step).status, 400) << step;
    EXPECT_EQ(parse(chunked + "0\r\nX: " + std::string(2000, 'x'), step).status, 400) << step;
  }
}

TEST(MessageParser, RefusesWhatIsNoHttp) {
  const std::string line = "GET / HTTP/1.1\r\n";
  for (const std::string& text : std::vector<std::string>{
           std::string("\x16\x03\x01\x05\x01"), std::string("GET /\r\n\r\n"),
           std::string("GET  / HTTP/1.1\r\n\r\n"), std::string("GET / HTTP/2.0\r\n\r\n"),
           std::string("GET / http/1.1\r\n\r\n"), line + "no colon\r\n\r\n", line + ": y\r\n\r\n",
           line + "a b: y\r\n\r\n", line + "a: x\x01y\r\n\r\n",
           line + std::string("a: x\0y\r\n\r\n", 10), line + "a: b\nc: d\r\n\r\n",
           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"}) {
    EXPECT_EQ(parse(text, 1000).status, 400) << text;
    EXPECT_EQ(parse(text, 1).status, 400) << text;
  }
  EXPECT_EQ(parse("GET / HTTP/1.1\nHost: a\n\n", 1000).status, 400);
}

}  // namespace
}  // namespace pleiad::http
