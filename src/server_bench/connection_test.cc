#include "server_bench/connection.h"

#include <gtest/gtest.h>

namespace pleiad::server_bench {
namespace {

TEST(ServerBenchConnection, KnowsTheAddressesOfThisMachine) {
  for (const char* own : {"http://localhost:11434", "https://localhost", "http://127.0.0.1:8080",
                          "http://127.1.2.3", "http://[::1]:8000", "unix:/run/pleiad.sock"}) {
    EXPECT_TRUE(is_local(own)) << own;
  }
  for (const char* other : {"http://localhost.lan:8000", "http://127.example.com",
                            "http://192.168.0.127", "http://[fe80::1]:8000"}) {
    EXPECT_FALSE(is_local(other)) << other;
  }
}

}  // namespace
}  // namespace pleiad::server_bench
