# ssxrver_add_plugin(NAME SOURCES a.cc ... [LINK library ...])
#
# NAME.so, a plugin for ssxrver: C++20, nothing visible but the one symbol that the daemon asks for,
# nothing left undefined, and no symbol that would keep it in memory when it is unloaded. Comes with
# find_package(ssxrver); without an installation, include() this file from the source tree.
include_guard(GLOBAL)

set(SSXRVER_PLUGIN_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# The headers of the source tree that this file stands in, and the one source behind them.
if(NOT TARGET ssxrver::plugin_api AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/../plugin/abi.h")
  get_filename_component(ssxrver_root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  add_library(ssxrver::plugin_api INTERFACE IMPORTED GLOBAL)
  target_include_directories(ssxrver::plugin_api INTERFACE "${ssxrver_root}")
  target_sources(ssxrver::plugin_api INTERFACE "${ssxrver_root}/ssxrver/base/assert.cc")
  target_compile_features(ssxrver::plugin_api INTERFACE cxx_std_20)
endif()

function(ssxrver_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "ssxrver_add_plugin: \"${name}\": a name is made of a-z, 0-9 and _")
  endif()
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ssxrver_add_plugin(${name} SOURCES ... [LINK ...])")
  endif()
  set(map "${SSXRVER_PLUGIN_CMAKE_DIR}/ssxrver_plugin.map")
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ssxrver::plugin_api ${arg_LINK})
  target_compile_features(${name} PRIVATE cxx_std_20)
  # `sdk` is ssx::plugin, and frames of coroutines come from the heap: a pool of the plugin's own
  # would keep its library in memory.
  target_compile_definitions(${name} PRIVATE SSXRVER_PLUGIN_BUILD SSX_FRAMES_FROM_HEAP)
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so" POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS "${map}")
  # A unique symbol of GCC (static data of templates) keeps its library mapped for good.
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE
    "-Wl,--version-script=${map}" -Wl,-z,relro,-z,now,-z,noexecstack)
  # A sanitizer's functions are those of the daemon: they are not there when the plugin is linked.
  get_target_property(linked ${name} LINK_OPTIONS)
  set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}} ${linked}")
  if(NOT flags MATCHES "-fsanitize=")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  # The daemon loads nothing that others than its owner may write to.
  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND chmod go-w "$<TARGET_FILE:${name}>"
    COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DFILE=$<TARGET_FILE:${name}>"
            -P "${SSXRVER_PLUGIN_CMAKE_DIR}/ssxrver_plugin_check.cmake"
    VERBATIM)
endfunction()
