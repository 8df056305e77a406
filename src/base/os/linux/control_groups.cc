#include "base/control_groups.h"

#include <fstream>
#include <sstream>
#include <string>

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMounts = "sys/fs/cgroup";

/// A line of /proc/self/cgroup: "4:cpu,cpuacct:/name"; without controllers it is of version 2.
struct Group {
  std::string controllers;
  std::string name;
};

std::vector<Group> groups_of_process(const fs::path& root) {
  std::vector<Group> groups;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    groups.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return groups;
}

/// `mount` and the groups below it down to `name`.
void add_groups(std::vector<fs::path>& folders, const fs::path& mount, const std::string& name) {
  fs::path group = mount;
  folders.push_back(group);
  for (const fs::path& part : fs::path(name).relative_path()) {
    if (part == "..") break;
    group /= part;
    folders.push_back(group);
  }
}

bool is_listed(const std::string& controllers, std::string_view controller) {
  std::istringstream all(controllers);
  for (std::string one; std::getline(all, one, ',');) {
    if (one == controller) return true;
  }
  return false;
}

}  // namespace

std::vector<fs::path> control_groups(const fs::path& root) {
  std::string name;
  for (const Group& group : groups_of_process(root)) {
    if (group.controllers.empty()) name = group.name;
  }
  std::vector<fs::path> folders;
  // Beside groups of version 1, those of version 2 have a folder of their own.
  for (const fs::path& mount : {root / kMounts, root / kMounts / "unified"}) {
    add_groups(folders, mount, name);
  }
  return folders;
}

std::vector<fs::path> version_1_control_groups(const fs::path& root, std::string_view controller) {
  std::vector<fs::path> folders;
  for (const Group& group : groups_of_process(root)) {
    if (!is_listed(group.controllers, controller)) continue;
    // The folder may list its controllers in another order; each has a link to it.
    add_groups(folders, root / kMounts / group.controllers, group.name);
    add_groups(folders, root / kMounts / controller, group.name);
  }
  return folders;
}

}  // namespace pleiad
