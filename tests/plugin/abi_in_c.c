#include "ssxrver/plugin/abi.h"

uint32_t ssxrver_abi_major_in_c(void);
size_t ssxrver_host_size_in_c(void);

uint32_t ssxrver_abi_major_in_c(void) { return SSXRVER_ABI_MAJOR; }
size_t ssxrver_host_size_in_c(void) { return sizeof(ssxrver_host); }
