#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <exception>
#include <new>
#include <string_view>

#include "apps/command_line.h"
#include "apps/common/output.h"
#include "apps/common/usage_error.h"
#include "apps/media/converter.h"
#include "apps/media/helper.h"
#include "base/error.h"

namespace {

/// Typing works in UTF-8 also where no language is set, as in a container.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace

using pleiad::apps::print_failure;

int main(int argc, char** argv) {
  try {
    if (const auto status = pleiad::apps::run_as_media_helper(argc, argv)) ::_exit(*status);
    if (const auto status = pleiad::apps::run_as_document_converter(argc, argv)) ::_exit(*status);
    use_utf8();
    std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error like any other
    return pleiad::apps::run_command_line(argc, argv);
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
