#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

// How the system starts a program, and what it tells it. Texts are UTF-8.

namespace pleiad::os {

/// What the program is called with and the words behind it, of what main() gets.
std::vector<std::string> arguments(int argc, char** argv);

/// The environment's variables by name.
std::map<std::string, std::string, std::less<>> variables();
/// The one that names the user's own folder: "HOME".
const char* home_variable();
/// What stands between the paths of a list in a variable: ':'.
char path_separator();

/// The file that was started; empty where the system does not say.
std::filesystem::path executable();

/// What is typed and shown is UTF-8, also where no language is set, as in a container; the standard
/// streams carry bytes as they are. A reader of the output who goes away is an error like any
/// other. Once, at the start.
void prepare_program();

}  // namespace pleiad::os
