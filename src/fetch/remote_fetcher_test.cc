#include "fetch/remote_fetcher.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <atomic>
#include <thread>

#include "fetch/testing/scripted_server.h"
#include "http/public_address.h"

namespace pleiad::fetch {
namespace {

using media::MediaKind;
using ::testing::HasSubstr;
using testing::ok_answer;
using testing::redirect_to;
using testing::ScriptedServer;

constexpr const char* kName = "pictures.example.com";

/// A fetcher for whom some names lead to `server`, on this machine.
RemoteFetcher fetcher_for(const ScriptedServer& server, FetchLimits limits = {},
                          std::vector<std::string> more_names = {}) {
  FetchSurroundings surroundings;
  surroundings.may_connect = [](const sockaddr& address) {
    // The test's server lies on this machine; for what others say, the truth.
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return http::is_public(address) ||
           (address.sa_family == AF_INET && v4.sin_addr.s_addr == ::htonl(INADDR_LOOPBACK));
  };
  for (const std::string name : {kName, "other.example.com", "evil.example.net"}) {
    surroundings.known_names.push_back(name + ":" + std::to_string(server.port()) + ":127.0.0.1");
  }
  for (std::string& name : more_names) surroundings.known_names.push_back(std::move(name));
  const std::vector<std::string> hosts = {std::string(kName) + ":" + std::to_string(server.port()),
                                          "other.example.com:" + std::to_string(server.port()),
                                          "inside.example.com", "inside6.example.com"};
  return RemoteFetcher(MediaHosts::parse(hosts).value(), limits, surroundings);
}

std::string url_of(const ScriptedServer& server, const std::string& path,
                   const std::string& host = kName) {
  return "http://" + host + ":" + std::to_string(server.port()) + path;
}

/// The body, or why there is none.
std::string outcome(RemoteFetcher& fetcher, const std::string& url,
                    MediaKind kind = MediaKind::picture) {
  const auto body = fetcher.fetch(url, kind, {});
  return body ? body.value() : "failed: " + body.message();
}

TEST(RemoteFetcher, BringsWhatIsThereAndSendsNothingSecret) {
  ScriptedServer server({{"/a.png", ok_answer("image/png", "the bytes")}});
  RemoteFetcher fetcher = fetcher_for(server);
  EXPECT_EQ(outcome(fetcher, url_of(server, "/a.png")), "the bytes");
  const std::string request = server.requests().at(0);
  EXPECT_THAT(request, HasSubstr("GET /a.png HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Host: pictures.example.com"));
  for (const char* header : {"Authorization", "Cookie", "Referer", "Accept-Encoding"}) {
    EXPECT_EQ(request.find(header), std::string::npos) << request;
  }
}

TEST(RemoteFetcher, AsksNoHostThatIsNotNamed) {
  ScriptedServer server({{"/a.png", ok_answer("image/png", "x")}});
  RemoteFetcher fetcher = fetcher_for(server);
  EXPECT_THAT(outcome(fetcher, url_of(server, "/a.png", "evil.example.net")),
              HasSubstr("is on evil.example.net:"));
  EXPECT_THAT(outcome(fetcher, url_of(server, "/a.png", "127.0.0.1")),
              HasSubstr("none of the hosts that this server fetches from (--media-hosts)"));
  EXPECT_THAT(outcome(fetcher, "http://pictures.example.com:1/"), HasSubstr("none of the hosts"));
  EXPECT_TRUE(server.requests().empty());
}

TEST(RemoteFetcher, ConnectsToNoAddressThatIsNotPublicWhateverItsName) {
  ScriptedServer server({});
  // A name that is allowed and whose owner lets it point to this network, as for cloud metadata.
  for (const std::string address :
       {"10.0.0.1", "169.254.169.254", "192.168.1.1", "0.0.0.0", "100.100.100.200"}) {
    RemoteFetcher fetcher = fetcher_for(server, {}, {"inside.example.com:80:" + address});
    EXPECT_EQ(outcome(fetcher, "http://inside.example.com/latest/meta-data"),
              "failed: is on a host with no public address, from which nothing is fetched")
        << address;
  }
  for (const std::string address : {"[::1]", "[fe80::1]", "[fd00:ec2::254]", "[::ffff:127.0.0.1]",
                                    "[64:ff9b::7f00:1]", "[2002:7f00:1::]"}) {
    RemoteFetcher fetcher = fetcher_for(server, {}, {"inside6.example.com:443:" + address});
    EXPECT_EQ(outcome(fetcher, "https://inside6.example.com/"),
              "failed: is on a host with no public address, from which nothing is fetched")
        << address;
  }
}

TEST(RemoteFetcher, FollowsRedirectsByTheSameRules) {
  ScriptedServer server({});
  const std::string own = url_of(server, "");
  server.answer("/1", redirect_to("/2"));
  server.answer("/2", redirect_to(url_of(server, "/3", "other.example.com")));
  server.answer("/evil", redirect_to(url_of(server, "/3", "evil.example.net")));
  server.answer("/inside", redirect_to("http://inside.example.com/"));
  server.answer("/file", redirect_to("file:///etc/passwd"));
  server.answer("/secret", redirect_to("http://u:p@pictures.example.com/"));
  server.answer("/loop", redirect_to("/loop"));
  server.answer("/text", "HTTP/1.1 301 Moved\r\nLocation: /3\r\nContent-Length: 2000\r\n\r\n" +
                             std::string(2000, 't'));
  server.answer("/3", ok_answer("image/jpeg", "found"));
  server.answer("/nowhere", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n");
  RemoteFetcher fetcher = fetcher_for(server, {}, {"inside.example.com:80:127.0.0.53"});
  EXPECT_EQ(outcome(fetcher, own + "/1"), "found");
  EXPECT_EQ(outcome(fetcher, own + "/text"), "found");
  EXPECT_THAT(outcome(fetcher, own + "/evil"), HasSubstr("leads to evil.example.net:"));
  EXPECT_THAT(outcome(fetcher, own + "/inside"), HasSubstr("no public address"));
  EXPECT_THAT(outcome(fetcher, own + "/file"), HasSubstr("neither http:// nor https://"));
  EXPECT_THAT(outcome(fetcher, own + "/secret"), HasSubstr("user or a password"));
  EXPECT_THAT(outcome(fetcher, own + "/loop"), HasSubstr("leads on more than 3 times"));
  EXPECT_THAT(outcome(fetcher, own + "/nowhere"), HasSubstr("was answered with status 302"));
}

TEST(RemoteFetcher, TakesSoManyBytesAndNoMore) {
  FetchLimits limits;
  limits.max_bytes = 1000;
  const std::string more(1001, 'x');
  ScriptedServer server(
      {{"/fits", ok_answer("image/png", std::string(1000, 'x'))},
       {"/told", ok_answer("image/png", more)},
       {"/untold", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + more},
       {"/headers", "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'h') + "\r\n\r\nbody"},
       {"/many", "HTTP/1.1 404 No\r\n\r\n" + std::string(3'000'000, 'z')},
       {"/short", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nfew"},
       {"/empty", ok_answer("image/png", "")}});
  RemoteFetcher fetcher = fetcher_for(server, limits);
  EXPECT_EQ(outcome(fetcher, url_of(server, "/fits")).size(), 1000U);
  for (const char* path : {"/told", "/untold"}) {
    EXPECT_EQ(outcome(fetcher, url_of(server, path)),
              "failed: is longer than 1.0 KB, the most that is fetched");
  }
  EXPECT_THAT(outcome(fetcher, url_of(server, "/headers")), HasSubstr("headers of more than"));
  EXPECT_EQ(outcome(fetcher, url_of(server, "/many")), "failed: was answered with status 404");
  EXPECT_THAT(outcome(fetcher, url_of(server, "/short")), HasSubstr("ends early"));
  EXPECT_EQ(outcome(fetcher, url_of(server, "/empty")), "failed: is empty");
}

TEST(RemoteFetcher, TakesPicturesAndWhatSaysNothingOfItself) {
  ScriptedServer server({{"/html", ok_answer("text/html; charset=utf-8", "<html>")},
                         {"/json", ok_answer("application/json", "{\"secret\": 1}")},
                         {"/bytes", ok_answer("application/octet-stream", "bytes")},
                         {"/upper", ok_answer("IMAGE/PNG ; x=y", "png")},
                         {"/none", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnone"},
                         {"/old", "just bytes, as HTTP/0.9 had it"}});
  RemoteFetcher fetcher = fetcher_for(server);
  EXPECT_EQ(outcome(fetcher, url_of(server, "/html")),
            "failed: is of the type text/html; expected a picture");
  EXPECT_THAT(outcome(fetcher, url_of(server, "/json")), HasSubstr("application/json"));
  EXPECT_EQ(outcome(fetcher, url_of(server, "/bytes")), "bytes");
  EXPECT_EQ(outcome(fetcher, url_of(server, "/upper")), "png");
  EXPECT_EQ(outcome(fetcher, url_of(server, "/none")), "none");
  EXPECT_THAT(outcome(fetcher, url_of(server, "/old")), HasSubstr("failed: "));
}

TEST(RemoteFetcher, TakesOfEachKindWhatMayBeOne) {
  ScriptedServer server({{"/pdf", ok_answer("application/pdf", "pdf")},
                         {"/html", ok_answer("text/html; charset=utf-8", "html")},
                         {"/mp3", ok_answer("audio/mpeg", "mp3")},
                         {"/mp4", ok_answer("video/mp4", "mp4")},
                         {"/ogg", ok_answer("application/ogg", "ogg")}});
  RemoteFetcher fetcher = fetcher_for(server);
  const auto fetched = [&](const std::string& path, MediaKind kind) {
    return outcome(fetcher, url_of(server, path), kind);
  };
  EXPECT_EQ(fetched("/pdf", MediaKind::document), "pdf");
  EXPECT_EQ(fetched("/html", MediaKind::document), "html");
  EXPECT_EQ(fetched("/mp3", MediaKind::sound), "mp3");
  EXPECT_EQ(fetched("/mp4", MediaKind::sound), "mp4");
  EXPECT_EQ(fetched("/mp4", MediaKind::video), "mp4");
  EXPECT_EQ(fetched("/ogg", MediaKind::video), "ogg");
  EXPECT_EQ(fetched("/mp3", MediaKind::video),
            "failed: is of the type audio/mpeg; expected a video");
  EXPECT_EQ(fetched("/html", MediaKind::sound),
            "failed: is of the type text/html; expected a sound");
  EXPECT_EQ(fetched("/mp4", MediaKind::document),
            "failed: is of the type video/mp4; expected a document");
  EXPECT_EQ(fetched("/pdf", MediaKind::picture),
            "failed: is of the type application/pdf; expected a picture");
}

TEST(RemoteFetcher, WaitsSoLongAndNoLonger) {
  FetchLimits limits;
  limits.seconds = 0.3;
  ScriptedServer server({});
  server.answer("/silent", "");
  RemoteFetcher fetcher = fetcher_for(server, limits);
  EXPECT_EQ(outcome(fetcher, url_of(server, "/silent")), "failed: does not come in time");
}

TEST(RemoteFetcher, EndsWhatNobodyWantsAnyMore) {
  ScriptedServer server({});
  server.answer("/silent", "");
  RemoteFetcher fetcher = fetcher_for(server);
  std::atomic<int> n_asked = 0;
  const auto given_up =
      fetcher.fetch(url_of(server, "/silent"), MediaKind::picture, [&] { return ++n_asked > 2; });
  EXPECT_EQ(given_up.message(), "was given up");
}

TEST(RemoteFetcher, FetchesSoManyAtATime) {
  FetchLimits limits;
  limits.max_transfers = 1;
  ScriptedServer server({{"/silent", ""}, {"/a.png", ok_answer("image/png", "a")}});
  RemoteFetcher fetcher = fetcher_for(server, limits);
  std::atomic<bool> runs = false;
  std::atomic<bool> enough = false;
  std::thread first([&] {
    const auto given_up = fetcher.fetch(url_of(server, "/silent"), MediaKind::picture, [&] {
      runs = true;
      return enough.load();
    });
    EXPECT_EQ(given_up.message(), "was given up");
  });
  while (!runs) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::atomic<int> n_asked = 0;
  EXPECT_EQ(
      fetcher.fetch(url_of(server, "/a.png"), MediaKind::picture, [&] { return ++n_asked > 2; })
          .message(),
      "was given up");
  enough = true;
  first.join();
  EXPECT_EQ(outcome(fetcher, url_of(server, "/a.png")), "a");
}

TEST(RemoteFetcher, NamesNoAddressInItsErrors) {
  ScriptedServer server({});
  const std::uint16_t port = server.port();
  RemoteFetcher fetcher = fetcher_for(server);
  server.stop();
  EXPECT_EQ(outcome(fetcher, "http://pictures.example.com:" + std::to_string(port) + "/"),
            "failed: is on a host that takes no connection");
}

}  // namespace
}  // namespace pleiad::fetch
