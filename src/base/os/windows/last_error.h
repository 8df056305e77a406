#pragma once

namespace pleiad::os {

/// Sets errno to what is nearest to an error of Windows, and gives false.
bool fail_with(unsigned long error);
/// The same of GetLastError().
bool fail_with_last_error();

}  // namespace pleiad::os
