#include "server_bench/machine_state.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace pleiad::server_bench {
namespace {

namespace fs = std::filesystem;

class MachineStateOf : public ::testing::Test {
 protected:
  MachineStateOf() {
    sys_ = fs::path(::testing::TempDir()) /
           ("sys_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(sys_);
  }
  ~MachineStateOf() override { fs::remove_all(sys_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((sys_ / path).parent_path());
    std::ofstream(sys_ / path) << text << "\n";
  }

  fs::path sys_;
};

TEST_F(MachineStateOf, ASystemThatTellsNothingIsEmpty) {
  const MachineState state = read_machine_state(sys_);
  EXPECT_FALSE(state.megahertz);
  EXPECT_FALSE(state.throttle_events);
  EXPECT_FALSE(state.on_battery);
}

TEST_F(MachineStateOf, TheProcessorsIsTheMeanOfTheirClocksAndTheSumOfTheirEvents) {
  for (const char* cpu : {"cpu0", "cpu1"}) {
    const std::string folder = std::string("devices/system/cpu/") + cpu;
    write(folder + "/cpufreq/scaling_cur_freq", cpu == std::string("cpu0") ? "2000000" : "3000000");
    write(folder + "/thermal_throttle/core_throttle_count", "3");
    write(folder + "/thermal_throttle/package_throttle_count", "1");
  }
  write("devices/system/cpu/cpufreq/cpufreq/scaling_cur_freq", "9000000");  // no processor
  write("devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "<unknown>");
  const MachineState state = read_machine_state(sys_);
  EXPECT_EQ(state.megahertz, 2500);
  EXPECT_EQ(state.throttle_events, 8);
}

TEST_F(MachineStateOf, ALaptopIsOnItsBatteryWhereNoMainsIsOn) {
  write("class/power_supply/AC/type", "Mains");
  write("class/power_supply/AC/online", "0");
  write("class/power_supply/BAT0/type", "Battery");
  EXPECT_EQ(read_machine_state(sys_).on_battery, true);
  write("class/power_supply/USB/type", "Mains");
  write("class/power_supply/USB/online", "1");
  EXPECT_EQ(read_machine_state(sys_).on_battery, false);
}

}  // namespace
}  // namespace pleiad::server_bench
