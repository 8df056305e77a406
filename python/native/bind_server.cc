#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apps/serve/program.h"
#include "bind.h"
#include "calls.h"
#include "check.h"
#include "errors.h"
#include "surroundings.h"
#include "wait.h"

namespace pleiad::python {

namespace nb = nanobind;

namespace {

/// What `pleiad serve` is, in this process.
class LocalServer {
 public:
  /// Listens, and loads the models. Throws UsageError where a setting is wrong, Error where the
  /// address cannot be had, store::ModelNotFound, LoadError where a model cannot be loaded.
  LocalServer(const std::map<std::string, std::string>& settings,
              const std::vector<std::string>& models, const std::string& package,
              const std::vector<std::string>& helper) {
    const apps::Environment environment = environment_of(package);
    const auto resolved =
        apps::resolve_settings({settings.begin(), settings.end()}, environment.variables);
    const apps::ServeConfig config = apps::make_config(resolved);
    const apps::ServeProgram::Helpers helpers = {helper_of(helper, "media-helper"),
                                                 helper_of(helper, "document-converter")};
    grace_seconds_ = config.grace_seconds;
    {
      const nb::gil_scoped_release release;
      program_ = std::make_unique<apps::ServeProgram>(config, environment, helpers);
      start(models);
    }
    try {
      wait_until_loaded();
    } catch (...) {
      stop(0);
      throw;
    }
  }
  ~LocalServer() { stop(0); }

  std::string address() const {
    if (!program_) throw ClosedError("this server was closed");
    return program_->address();
  }

  /// Seconds that running answers get to end; negative: as the settings say.
  void stop(double seconds) {
    if (!program_) return;
    const ClosingCall call;
    if (owner_ != ::getpid()) {
      (void)program_.release();  // its threads are in the process that was forked
      return;
    }
    std::unique_ptr<apps::ServeProgram> leaving = std::move(program_);
    const nb::gil_scoped_release release;
    leaving->stop(seconds < 0 ? grace_seconds_ : seconds);
    leaving.reset();
  }

 private:
  struct LoadFailure {
    std::mutex mutex;
    std::string text;
  };

  void start(const std::vector<std::string>& models) {
    const auto load_failed = [failure = failure_](const std::string& error) {
      const std::lock_guard lock(failure->mutex);
      if (failure->text.empty()) failure->text = error;
    };
    program_->start(models, load_failed);
  }

  void wait_until_loaded() {
    std::mutex mutex;
    std::condition_variable never;
    while (!program_->is_ready()) {
      bool looked = false;  // a moment, and what signals say
      wait_until(mutex, never, [&] { return std::exchange(looked, true); });
    }
    const std::lock_guard lock(failure_->mutex);
    if (!failure_->text.empty()) throw LoadError(failure_->text);
  }

  const pid_t owner_ = ::getpid();
  double grace_seconds_ = 0;
  std::shared_ptr<LoadFailure> failure_ = std::make_shared<LoadFailure>();
  std::unique_ptr<apps::ServeProgram> program_;  // null: closed
};

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const apps::SettingDefinition& setting : apps::setting_definitions()) {
    names.emplace_back(setting.name);
  }
  return names;
}

std::unique_ptr<LocalServer> serve(const std::map<std::string, std::string>& settings,
                                   const std::vector<std::string>& models,
                                   const std::string& package,
                                   const std::vector<std::string>& helper) {
  return std::make_unique<LocalServer>(settings, models, package, helper);
}

}  // namespace

void bind_server(nb::module_& module) {
  nb::class_<LocalServer>(module, "LocalServer", "A server; pleiad.Server is made of it.")
      .def("address", &LocalServer::address)
      .def("stop", &LocalServer::stop, nb::arg("seconds"));
  module.def("setting_names", &setting_names);
  module.def("serve", &serve, nb::kw_only(), nb::arg("settings"), nb::arg("models"),
             nb::arg("package"), nb::arg("helper"), nb::call_guard<Call>());
}

}  // namespace pleiad::python
