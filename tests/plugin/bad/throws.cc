// An exception of C++ that nobody catches on this side of the border.
#include <stdexcept>

#include "ssxrver/plugin/abi.h"

extern "C" std::int32_t ssxrver_plugin_query(std::uint32_t, std::uint32_t,
                                             const ssxrver_plugin_desc**) {
#ifdef BAD_NUMBER
  throw 7;
#else
  throw std::runtime_error("the moon is in the wrong house");
#endif
}
