#include "apps/serve/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"

namespace pleiad::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Texts = std::map<std::string, std::string, std::less<>>;

ServeConfig config(const Texts& flags, const Texts& variables = {}) {
  return make_config(resolve_settings(flags, variables));
}

std::string refusal(const Texts& flags, const Texts& variables = {}) {
  try {
    config(flags, variables);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ServeConfigTest, FlagsComeBeforeOurVariablesAndTheseBeforeOllamas) {
  const Texts variables = {{"PLEIAD_KEEP_ALIVE", "2m"},
                           {"OLLAMA_KEEP_ALIVE", "3m"},
                           {"OLLAMA_NUM_PARALLEL", "7"},
                           {"PLEIAD_MAX_QUEUE", ""}};
  const auto settings = resolve_settings({{"keep-alive", "1m"}}, variables);
  EXPECT_EQ(settings.at("keep-alive").origin, "--keep-alive");
  EXPECT_EQ(config({{"keep-alive", "1m"}}, variables).keep_alive_seconds, 60);
  EXPECT_EQ(config({}, variables).keep_alive_seconds, 120);
  EXPECT_EQ(config({}, variables).parallel, 7);
  EXPECT_EQ(resolve_settings({}, variables).at("parallel").origin, "OLLAMA_NUM_PARALLEL");
  // Empty counts as unset.
  EXPECT_EQ(resolve_settings({}, variables).at("max-queue").origin, "default");
}

TEST(ServeConfigTest, QuantizesWhileLoadingToTheTypesThatItNames) {
  EXPECT_EQ(config({}).online, std::nullopt);
  EXPECT_EQ(config({{"online", "fp8"}}).online, DType::f8_e4m3);
  EXPECT_EQ(config({}).activations, cpu::ActivationForm::automatic);
  EXPECT_EQ(config({{"activations", "16"}}).activations, cpu::ActivationForm::words);
  EXPECT_EQ(refusal({{"activations", "12"}}), "--activations: expected 8 or 16, found '12'");
  EXPECT_EQ(config({}, {{"PLEIAD_ONLINE", "q4_0"}}).online, DType::q4_0);
  EXPECT_EQ(refusal({{"online", "q6_k"}}), "--online: expected fp8, q8_0 or q4_0, found 'q6_k'");
}

TEST(ServeConfigTest, APortOfItsOwnGoesWithAnAddressThatNamesNone) {
  EXPECT_EQ(config({{"port", "8080"}}).listen.port, 8080);
  EXPECT_EQ(config({{"port", "8080"}}).listen.host, "127.0.0.1");
  EXPECT_EQ(config({{"host", "::1"}, {"port", "8080"}}).listen.port, 8080);
  EXPECT_EQ(config({{"host", "127.0.0.1:8080"}, {"port", "8080"}}).listen.port, 8080);
  EXPECT_EQ(config({{"port", "0"}}).listen.port, 0);
  // A flag comes before a variable.
  EXPECT_EQ(config({{"port", "8080"}}, {{"OLLAMA_HOST", "127.0.0.1:9090"}}).listen.port, 8080);
}

TEST(ServeConfigTest, RefusesPortsThatContradictEachOther) {
  EXPECT_EQ(refusal({{"host", "127.0.0.1:8080"}, {"port", "9090"}}),
            "--port 9090: --host 127.0.0.1:8080 names port 8080; give one of the two");
  EXPECT_EQ(refusal({{"host", "127.0.0.1:11434"}, {"port", "9090"}}),
            "--port 9090: --host 127.0.0.1:11434 names port 11434; give one of the two");
  EXPECT_THAT(refusal({{"host", "unix:/x"}, {"port", "9090"}}), HasSubstr("Unix socket"));
  EXPECT_THAT(refusal({{"port", "9090"}}, {{"PLEIAD_HOST", "unix:/x"}}), HasSubstr("PLEIAD_HOST"));
  for (const char* port : {"65536", "-1", "80x", "http"}) {
    EXPECT_EQ(refusal({{"port", port}}),
              fmt::format("--port: expected a port from 0 to 65535, found '{}'", port));
  }
}

TEST(ServeConfigTest, ReadsTheFormsOfAnAddress) {
  const auto address = [](const std::string& text) { return parse_listen_address(text, "X"); };
  EXPECT_EQ(address("0.0.0.0").host, "0.0.0.0");
  EXPECT_EQ(address("0.0.0.0").port, 11434);
  EXPECT_FALSE(address("0.0.0.0").loopback);
  EXPECT_EQ(address(":8080").host, "127.0.0.1");
  EXPECT_EQ(address(":8080").port, 8080);
  EXPECT_EQ(address("http://localhost:5000/").port, 5000);
  EXPECT_TRUE(address("http://localhost:5000/").loopback);
  EXPECT_EQ(address("[::1]:99").host, "::1");
  EXPECT_EQ(address("[::1]:99").port, 99);
  EXPECT_EQ(address("fe80::1").host, "fe80::1");
  EXPECT_EQ(address("unix:/tmp/x.sock").host, "unix:/tmp/x.sock");
  EXPECT_TRUE(address("unix:/tmp/x.sock").loopback);
  for (const char* bad : {"host:port", "host:70000", "[::1", "[::1]x", "https://x", "unix:"}) {
    EXPECT_THROW(address(bad), Error) << bad;
  }
}

TEST(ServeConfigTest, NamesWhereABadValueCameFrom) {
  EXPECT_THAT(refusal({{"parallel", "many"}}), HasSubstr("--parallel: expected an integer"));
  EXPECT_THAT(refusal({}, {{"OLLAMA_KV_CACHE_TYPE", "q3"}}), HasSubstr("OLLAMA_KV_CACHE_TYPE"));
  EXPECT_THAT(refusal({{"memory", "8X"}}), HasSubstr("--memory: expected a size"));
  EXPECT_THAT(refusal({{"keep-alive", "soon"}}), HasSubstr("--keep-alive: expected a duration"));
  EXPECT_THAT(refusal({{"log-level", "loud"}}), HasSubstr("debug, info, warn, error"));
  EXPECT_THAT(refusal({{"api-key-file", "/nowhere/at/all"}}), HasSubstr("/nowhere/at/all"));
}

TEST(ServeConfigTest, OtherMachinesNeedAKeyOrAnExplicitWord) {
  EXPECT_THAT(refusal({{"host", "0.0.0.0"}}), HasSubstr("--insecure"));
  EXPECT_EQ(refusal({{"host", "0.0.0.0"}, {"insecure", "on"}}), "accepted");
  EXPECT_EQ(refusal({{"host", "0.0.0.0"}, {"api-key", "k"}}), "accepted");
}

TEST(ServeConfigTest, AProxyNeedsAKeyOrAnExplicitWordOnThisMachineToo) {
  EXPECT_THAT(refusal({{"trusted-proxy", "127.0.0.1"}}), HasSubstr("--trusted-proxy = 127.0.0.1"));
  EXPECT_THAT(refusal({{"trusted-proxy", "unix"}}), HasSubstr("--insecure"));
  EXPECT_EQ(refusal({{"trusted-proxy", "127.0.0.1"}, {"insecure", "on"}}), "accepted");
  const ServeConfig read = config({{"trusted-proxy", "127.0.0.1, 10.0.0.0/8,unix"},
                                   {"api-key", "k"},
                                   {"max-connections-per-address", "7"}});
  EXPECT_THAT(read.trusted_proxies, ElementsAre("127.0.0.1", "10.0.0.0/8", "unix"));
  EXPECT_EQ(read.connections_per_address, 7U);
  EXPECT_EQ(refusal({{"trusted-proxy", "10.0.0.1/8"}, {"api-key", "k"}}),
            "--trusted-proxy: expected an address or a network such as 10.0.0.0/8, found "
            "'10.0.0.1/8': bits beyond the prefix are set, or unix");
  EXPECT_THAT(refusal({}, {{"PLEIAD_TRUSTED_PROXY", "nginx"}}),
              HasSubstr("PLEIAD_TRUSTED_PROXY: expected an address"));
}

TEST(ServeConfigTest, NamesHostsWhosePicturesAreFetched) {
  EXPECT_TRUE(config({}).media_hosts.empty());
  const ServeConfig read = config({{"media-hosts", "cdn.example.com, *.example.org"}});
  EXPECT_TRUE(read.media_hosts.allow("cdn.example.com", 443));
  EXPECT_TRUE(read.media_hosts.allow("a.example.org", 80));
  EXPECT_FALSE(read.media_hosts.allow("example.com", 443));
  EXPECT_EQ(refusal({{"media-hosts", "cdn.example.com,*"}}),
            "--media-hosts: expected a host such as cdn.example.com, *.example.org or "
            "example.com:8443, found '*'");
}

TEST(ServeConfigTest, ReadsSizesListsAndEndlessTimes) {
  const ServeConfig read = config({{"memory", "8G"},
                                   {"kv-memory", "1.5MiB"},
                                   {"keep-alive", "-1"},
                                   {"origins", "https://a, https://b"}});
  EXPECT_EQ(read.memory_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(read.kv_bytes, std::uint64_t{3} << 19);
  EXPECT_TRUE(std::isinf(read.keep_alive_seconds));
  EXPECT_THAT(read.origins, ElementsAre("https://a", "https://b"));
}

TEST(ServeConfigTest, SeveralKeysAreKeptApartInTheCacheUnlessSaidOtherwise) {
  const auto file = [](const std::string& name, const std::string& keys) {
    const std::string path = ::testing::TempDir() + "pleiad-keys-" + name;
    std::ofstream(path) << keys;
    return path;
  };
  const std::string two = file("two", "alice\nbob\n"), alice = file("alice", "alice\nalice\n"),
                    boss = file("boss", "boss\n");
  EXPECT_FALSE(config({}).cache_per_key);
  EXPECT_FALSE(config({{"api-key", "alice"}}).cache_per_key);
  EXPECT_FALSE(config({{"api-key-file", alice}, {"api-key", "alice"}}).cache_per_key) << "one key";
  EXPECT_TRUE(config({{"api-key-file", two}}).cache_per_key);
  EXPECT_TRUE(config({{"api-key", "alice"}, {"admin-key-file", boss}}).cache_per_key);
  EXPECT_FALSE(config({{"api-key-file", two}, {"cache-scope", "server"}}).cache_per_key);
  EXPECT_TRUE(config({{"cache-scope", "key"}}).cache_per_key);
  EXPECT_TRUE(config({}, {{"PLEIAD_CACHE_SCOPE", "key"}}).cache_per_key);
  EXPECT_EQ(config({{"api-key-file", two}, {"admin-key-file", boss}}).n_keys, 3U);
  EXPECT_EQ(refusal({{"cache-scope", "world"}}),
            "--cache-scope: expected one of auto, key, server, found 'world'");
}

TEST(ServeConfigTest, TellsClientsAVersionOfOllamaThatTheyCanCompare) {
  EXPECT_EQ(config({}).ollama_version, "0.34.2");
  EXPECT_EQ(config({{"ollama-version", "1.2.3-rc1"}}).ollama_version, "1.2.3-rc1");
  EXPECT_EQ(refusal({{"ollama-version", "new"}}),
            "--ollama-version: expected a version like 0.34.2, found 'new'");
  EXPECT_FALSE(config({}).strict_fields);
  EXPECT_TRUE(config({{"strict-fields", "on"}}).strict_fields);
  EXPECT_TRUE(config({}).repetition_guard);
  EXPECT_FALSE(config({{"repetition-guard", "off"}}).repetition_guard);
  EXPECT_EQ(config({{"thinking-budget", "500"}}).thinking_budget, 500);
  EXPECT_FALSE(config({}).no_pull);
  EXPECT_TRUE(config({{"no-pull", "on"}}).no_pull);
}

TEST(ServeConfigTest, KeysAreNotShown) {
  const std::string table = describe_settings(resolve_settings({{"api-key", "hunter2"}}, {}));
  EXPECT_THAT(table, HasSubstr("(set)"));
  EXPECT_EQ(table.find("hunter2"), std::string::npos);
}

TEST(ServeConfigTest, KnowsWhichOfOllamasVariablesMeanNothing) {
  EXPECT_THAT(unused_variables({{"OLLAMA_FLASH_ATTENTION", "1"}, {"OLLAMA_HOST", "x"}}),
              ElementsAre("OLLAMA_FLASH_ATTENTION"));
}

}  // namespace
}  // namespace pleiad::apps
