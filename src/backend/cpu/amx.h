#pragma once

namespace pleiad::cpu {

/// True when this processor has AMX tiles with bf16 and int8 products and the
/// system lets this process use them. Asks for that permission, which then
/// holds for every thread of the process; later calls change nothing.
bool request_amx();

}  // namespace pleiad::cpu
