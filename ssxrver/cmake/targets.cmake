# The two helpers that every folder uses, and the flags that every target of ours shares.
#
#   ssxrver_library(NAME net HEADERS ... INTERNAL ... SOURCES ... DEPS ssxrver::base ...
#                   PRIVATE_DEPS ...)
#     HEADERS  public, installed, checked to compile alone;  INTERNAL  not installed.
#     Without SOURCES the target is header-only.
#   ssxrver_test(NAME net SOURCES a_test.cc ... DEPS ssxrver::net ... [LABEL unit]
#                [REAL_KERNEL] [FULL_SIZE FILTER])
#     One GoogleTest binary. It runs on the simulated kernel of tests/support/sim unless
#     REAL_KERNEL. LABEL threads: something crosses threads in it, so CI runs it under TSan too
#     (build target "threads_tests"). FULL_SIZE: a filter of GoogleTest; with the option
#     SSX_FULL_SIZE what it selects runs a second time, alone and as large as the design asks for
#     (tests/support/full_size.h), under the label conformance.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)  # an archive needs no other archive
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)
include(GNUInstallDirs)

find_program(SSX_CCACHE ccache)
if(SSX_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${SSX_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SSX_CCACHE})
endif()

# Programs land one folder above CMake's own: build/Release/ssxrver beside build/Release/cmake.
if(CMAKE_BINARY_DIR MATCHES "/cmake$")
  get_filename_component(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" DIRECTORY)
endif()

add_library(ssxrver_flags INTERFACE)
target_compile_options(ssxrver_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wshadow -Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wthread-safety>
  $<$<NOT:$<CONFIG:Release,MinSizeRel>>:-fno-omit-frame-pointer>)
# Costs 15 % of the size of a program, and hardly any time.
if(SSX_HARDEN)
  target_compile_options(ssxrver_flags INTERFACE
    -fno-plt -fstack-protector-strong -fcf-protection=full)
endif()
if(NOT SSX_SIMD)
  target_compile_definitions(ssxrver_flags INTERFACE SSX_NO_SIMD)
endif()
if(NOT SSX_ASSERT_TEXT)
  target_compile_definitions(ssxrver_flags INTERFACE SSX_TERSE_ASSERT)
endif()
# A request runs a little code of many files once, so what counts is how little of it there is. The
# objects hold machine code as well: whoever links an installed library needs no optimiser of ours.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(ssxrver_flags INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-flto=auto -ffat-lto-objects>)
  target_link_options(ssxrver_flags INTERFACE $<$<CONFIG:Release>:-flto=auto>)
  # Texts of a few dozen bytes are copied faster by the C library than by the "rep movsq" that GCC
  # would put in place of it.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    target_compile_options(ssxrver_flags INTERFACE
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-mstringop-strategy=libcall>)
  endif()
endif()
# Optimising, GCC 12 sees overlaps that cannot be where it inlines std::string (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ssxrver_flags INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-Wno-restrict>)
endif()
if(SSX_HARDEN AND NOT SSX_SANITIZE)
  target_compile_definitions(ssxrver_flags INTERFACE
    $<$<CONFIG:Release,MinSizeRel,RelWithDebInfo>:_FORTIFY_SOURCE=2>)
endif()
# A program loads only the libraries it uses: a server without compression loads no compressor.
target_link_options(ssxrver_flags INTERFACE -Wl,--as-needed -Wl,-z,relro,-z,now,-z,noexecstack)
if(NOT SSX_LOG_FLOOR STREQUAL "")  # OFF is one, too
  target_compile_definitions(ssxrver_flags INTERFACE SSX_LOG_FLOOR=SSX_LEVEL_${SSX_LOG_FLOOR})
endif()
if(SSX_SANITIZE)
  add_compile_options(-fsanitize=${SSX_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SSX_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Looks at a type that it meets for the first time through a pipe, and takes it for forged where
    # no descriptor is left: which is what tests/net/exhaustion_test.cc is about.
    add_compile_options(-fno-sanitize=vptr)
  endif()
  # What a sanitizer adds makes linking every test a good part of their building.
  find_program(SSX_MOLD mold)
  if(SSX_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
# Programs carry what they use of fmt, and need no library of it where they run. With sanitizers it
# is linked: every file would compile it anew, a sixth of the time of building all tests.
set(SSX_FMT fmt::fmt-header-only)
if(SSX_SANITIZE)
  set(SSX_FMT fmt::fmt)
endif()
if(SSX_BUILD_ONCE)
  add_compile_options(-g0)  # a tenth of the time; who looks for a fault builds again anyway
endif()
# What a fuzz target is steered by: which of our branches its input has taken.
if(SSX_BUILD_FUZZ)
  set(SSX_FUZZ_FLAGS -fsanitize=fuzzer-no-link)
  if(SSX_BUILD_ONCE)  # a call for each comparison is dear for the tests that share the libraries
    list(APPEND SSX_FUZZ_FLAGS -fno-sanitize-coverage=trace-cmp)
  endif()
endif()

# Gives a library the flags for its own sources only. Linking ssxrver_flags would hand them to
# whoever links the library, and the target would have to be exported.
function(ssxrver_private_flags target)
  foreach(kind IN ITEMS options definitions)
    string(TOUPPER "INTERFACE_COMPILE_${kind}" property)
    cmake_language(CALL target_compile_${kind} ${target}
      PRIVATE "$<TARGET_PROPERTY:ssxrver_flags,${property}>")
  endforeach()
  target_compile_options(${target} PRIVATE ${SSX_FUZZ_FLAGS})
endfunction()

# What all libraries (KIND library), tests or examples include is read once; so is app.h, a second
# of reading, for the folders that use most of it. A compiler cache saves more and does not take
# such files.
function(ssxrver_precompile target kind)
  if(NOT SSX_BUILD_ONCE)
    return()
  endif()
  set(headers <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <memory> <optional>
              <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
  if(kind STREQUAL "tests")
    list(PREPEND headers <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  set(precompiled ssxrver_precompiled_${kind})
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  if(folder MATCHES "/(app|plugin|daemon|examples|http|websocket)(/|$)")
    string(APPEND precompiled "_of_app")
    list(APPEND headers "${PROJECT_SOURCE_DIR}/ssxrver/app/app.h")
  endif()
  if(NOT TARGET ${precompiled})
    set(source "${CMAKE_BINARY_DIR}/${precompiled}.cc")
    file(WRITE "${source}" "")
    add_library(${precompiled} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_include_directories(${precompiled} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${precompiled} PRIVATE ${SSX_FMT})
    if(kind STREQUAL "library")
      ssxrver_private_flags(${precompiled})
    else()
      target_link_libraries(${precompiled} PRIVATE ssxrver_flags)
      ssxrver_at_fixed_address(${precompiled})
    endif()
    if(kind STREQUAL "tests")
      target_link_libraries(${precompiled} PRIVATE ssxrver_test_flags GTest::gmock)
    endif()
    target_precompile_headers(${precompiled} PRIVATE ${headers})
  endif()
  if(kind STREQUAL "examples")  # a library's position-independent code is not that of a program
    ssxrver_at_fixed_address(${target})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${precompiled})
endfunction()

function(ssxrver_library)
  cmake_parse_arguments(arg "" "NAME" "HEADERS;INTERNAL;SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  set(target ssxrver_${arg_NAME})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES} ${arg_INTERNAL})
    set(scope PUBLIC)
    ssxrver_private_flags(${target})
    ssxrver_precompile(${target} library)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_DEPS})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(ssxrver::${arg_NAME} ALIAS ${target})
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${arg_HEADERS})
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(${target} ${scope} ${arg_DEPS})
  target_compile_features(${target} ${scope} cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME})
  set_property(GLOBAL APPEND PROPERTY SSX_LIBRARIES ${target})
  set_property(GLOBAL APPEND PROPERTY SSX_DEPS ${arg_DEPS} ${arg_PRIVATE_DEPS})
endfunction()

# A test drives its loops by hand on its own thread: the loops' assertions are the check there.
# Linked behind ssxrver_flags, whose options it takes back.
add_library(ssxrver_test_flags INTERFACE)
target_compile_options(ssxrver_test_flags INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wno-thread-safety-analysis -Wno-sign-conversion>)

# Tests start thousands of times. A sanitizer describes each place it checks with pointers, and in a
# PIE the loader relocates every one of them (44 MB in one of our tests) at every start.
function(ssxrver_at_fixed_address target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

function(ssxrver_test)
  if(NOT SSX_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "REAL_KERNEL" "NAME;LABEL;FULL_SIZE" "SOURCES;DEPS" ${ARGN})
  set(target ssxrver_${arg_NAME}_tests)
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  add_executable(${target} ${arg_SOURCES})
  # The simulated kernel stands before the layers, so the linker never opens the real ssxrver_sys.
  if(NOT arg_REAL_KERNEL)
    target_link_libraries(${target} PRIVATE ssxrver_sim_kernel)
  endif()
  target_link_libraries(${target} PRIVATE
    ssxrver_flags ssxrver_test_support ${arg_DEPS} GTest::gmock GTest::gtest_main
    ssxrver_test_flags)
  ssxrver_at_fixed_address(${target})
  ssxrver_precompile(${target} tests)
  if(arg_LABEL STREQUAL "threads")
    if(NOT TARGET threads_tests)
      add_custom_target(threads_tests)
    endif()
    add_dependencies(threads_tests ${target})
  endif()
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT 120)
  if(SSX_FULL_SIZE AND arg_FULL_SIZE)
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 TEST_FILTER "${arg_FULL_SIZE}"
      TEST_PREFIX "full_size."
      PROPERTIES LABELS conformance TIMEOUT 7200 RUN_SERIAL ON ENVIRONMENT SSX_FULL_SIZE=1)
  endif()
endfunction()
