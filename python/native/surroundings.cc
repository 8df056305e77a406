#include "surroundings.h"

#include <filesystem>

#include "api/common/request_error.h"
#include "model/gemma4/online.h"

namespace pleiad::python {

apps::Environment environment_of(const std::string& package) {
  apps::Environment environment = apps::read_environment();
  environment.executable = std::filesystem::path(package) / "bin" / "pleiad";
  return environment;
}

media::HelperProgram helper_of(const std::vector<std::string>& command, const char* task) {
  media::HelperProgram program{command.front(), {command.begin() + 1, command.end()}};
  program.arguments.emplace_back(task);
  return program;
}

DType online_type_of(const std::string& name) {
  if (const auto type = gemma4::online_type_from_name(name)) return *type;
  throw api::RequestError("online", fmt::format("expected fp8, q8_0 or q4_0, found '{}'", name));
}

}  // namespace pleiad::python
