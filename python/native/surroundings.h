#pragma once

#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "media/reader.h"
#include "tensor/dtype.h"

namespace pleiad::python {

/// The environment of the process. What comes with the program (the demo model) is found in the
/// folder of the Python package.
apps::Environment environment_of(const std::string& package);

/// How a process that reads media ("media-helper") or documents ("document-converter") is started:
/// the command that becomes one, and what it is to be.
media::HelperProgram helper_of(const std::vector<std::string>& command, const char* task);

/// "fp8", "q8_0" or "q4_0". Throws api::RequestError that names the argument `online`.
DType online_type_of(const std::string& name);

}  // namespace pleiad::python
