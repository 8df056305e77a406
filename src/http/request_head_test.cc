#include "http/request_head.h"

#include <gtest/gtest.h>

namespace pleiad::http {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::variant<RequestHead, Refusal> judge(Fields headers, int version = 11, std::string target = "/",
                                         std::string method = "POST") {
  if (version == 11) headers.insert(headers.begin(), {"host", "localhost"});
  return judge_head({std::move(method), std::move(target), version, std::move(headers)}, "made");
}

int refused(const std::variant<RequestHead, Refusal>& result) {
  return std::holds_alternative<Refusal>(result) ? std::get<Refusal>(result).status : 0;
}

TEST(RequestHead, RefusesWhatCouldBeReadInTwoWays) {
  EXPECT_EQ(refused(judge({{"content-length", "1"}, {"transfer-encoding", "chunked"}})), 400);
  EXPECT_EQ(refused(judge({{"content-length", "1"}, {"content-length", "1"}})), 400);
  for (const char* length : {"", "-1", "+1", "1,1", "1 ", "0x1", "18446744073709551616"}) {
    EXPECT_EQ(refused(judge({{"content-length", length}})), 400) << length;
  }
  EXPECT_EQ(refused(judge({{"transfer-encoding", "gzip, chunked"}})), 501);
  EXPECT_EQ(refused(judge({{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}})),
            501);
  EXPECT_EQ(refused(judge({{"transfer-encoding", "chunked"}}, 10)), 400);
  EXPECT_EQ(refused(judge({{"host", "localhost"}})), 400);
  EXPECT_EQ(refused(judge({}, 11, "http://other/")), 400);
  EXPECT_EQ(refused(judge_head({"GET", "/", 11, {}}, "made")), 400);
  EXPECT_EQ(refused(judge({}, 11, "*", "GET")), 400);
  EXPECT_EQ(refused(judge({{"expect", "magic"}})), 417);
}

TEST(RequestHead, KnowsHowTheBodyComes) {
  const auto none = judge({});
  EXPECT_FALSE(std::get<RequestHead>(none).has_body());
  const auto sized = judge({{"content-length", "18446744073709551615"}});
  EXPECT_EQ(std::get<RequestHead>(sized).content_length, 18446744073709551615U);
  const auto chunked = judge({{"transfer-encoding", "Chunked"}, {"expect", "100-Continue"}});
  EXPECT_TRUE(std::get<RequestHead>(chunked).chunked);
  EXPECT_TRUE(std::get<RequestHead>(chunked).expects_continue);
}

TEST(RequestHead, KnowsWhetherTheConnectionStays) {
  const auto stays = [](Fields headers, int version) {
    return std::get<RequestHead>(judge(std::move(headers), version)).keep_alive;
  };
  EXPECT_TRUE(stays({}, 11));
  EXPECT_FALSE(stays({{"connection", "TE, Close"}}, 11));
  EXPECT_FALSE(stays({}, 10));
  EXPECT_TRUE(stays({{"connection", "Keep-Alive"}}, 10));
  EXPECT_FALSE(stays({{"connection", "keep-alive"}, {"connection", "close"}}, 11));
}

TEST(RequestHead, TakesTheClientsIdWhereItIsFit) {
  const auto id = [](std::string own) {
    return std::get<RequestHead>(judge({{"x-request-id", std::move(own)}})).request.id;
  };
  EXPECT_EQ(id("abc-1"), "abc-1");
  EXPECT_EQ(id(""), "made");
  EXPECT_EQ(id("a\tb"), "made");
  EXPECT_EQ(id(std::string(129, 'x')), "made");
}

}  // namespace
}  // namespace pleiad::http
