#include "media/helper/start_process.h"

#include <fcntl.h>
#include <spawn.h>

#include <csignal>
#include <vector>

#include "base/error.h"

namespace pleiad::media {
namespace {

/// What posix_spawn does on the way, freed in the end.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnPlan() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

void not_started(int error) {
  if (error == 0) return;
  throw Error("no picture, sound or video can be read here: a process for it cannot be started: {}",
              errno_text(error));
}

}  // namespace

pid_t start_process(const std::filesystem::path& path, std::span<const std::string> arguments,
                    int input, int output, int errors) {
  SpawnPlan plan;
  not_started(::posix_spawn_file_actions_adddup2(&plan.files, input, 0));
  not_started(::posix_spawn_file_actions_adddup2(&plan.files, output, 1));
  if (errors < 0) {
    not_started(::posix_spawn_file_actions_addopen(&plan.files, 2, "/dev/null", O_WRONLY, 0));
  } else {
    not_started(::posix_spawn_file_actions_adddup2(&plan.files, errors, 2));
  }
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  not_started(::posix_spawnattr_setsigmask(&plan.attributes, &none));
  not_started(::posix_spawnattr_setsigdefault(&plan.attributes, &all));
  not_started(::posix_spawnattr_setflags(
      &plan.attributes,
      static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID)));
  std::string name = "pleiad";
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<char*> argv = {name.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  char* no_environment[] = {nullptr};
  pid_t child = -1;
  not_started(::posix_spawn(&child, path.c_str(), &plan.files, &plan.attributes, argv.data(),
                            no_environment));
  return child;
}

}  // namespace pleiad::media
