#include <exception>
#include <new>

#include "apps/command_line.h"
#include "apps/common/output.h"
#include "apps/common/usage_error.h"
#include "apps/parts.h"
#include "base/error.h"
#include "base/os/program.h"

using pleiad::apps::print_failure;

int main(int argc, char** argv) {
  try {
    pleiad::apps::become_child(argc, argv);
    pleiad::os::prepare_program();
    return pleiad::apps::run_command_line(pleiad::os::arguments(argc, argv));
  } catch (const pleiad::apps::UsageError& error) {
    print_failure(error.what());
    return pleiad::apps::kUsageStatus;
  } catch (const pleiad::Error& error) {
    print_failure(error.what());
  } catch (const std::bad_alloc&) {
    print_failure("there is not enough memory");
  } catch (const std::exception& error) {
    print_failure(error.what());
    print_failure("this is a mistake in Pleiad; please report it");
  }
  return 1;
}
