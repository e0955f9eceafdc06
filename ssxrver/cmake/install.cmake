# cmake --install, find_package(ssxrver) from the installation and from the build tree, pkg-config.
#
# A third party of a layer becomes a find_dependency() of the package by the name before its "::".
# One without "::" is a library that is linked by its name. One inside $<BUILD_INTERFACE:...> is
# used by our sources alone: users of an installation do not need it.
include(CMakePackageConfigHelpers)

set(ssx_include_dir "${CMAKE_INSTALL_INCLUDEDIR}/ssxrver-${PROJECT_VERSION_MAJOR}")
set(ssx_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ssxrver")
set(ssx_conf_dir "${CMAKE_INSTALL_SYSCONFDIR}/ssxrver")
set(ssx_data_dir "${CMAKE_INSTALL_DATADIR}/ssxrver")
get_property(ssx_libraries GLOBAL PROPERTY SSX_LIBRARIES)
get_property(ssx_deps GLOBAL PROPERTY SSX_DEPS)
list(REMOVE_DUPLICATES ssx_deps)

# What pkg-config calls a third party; -l or a flag where it has no module of its own.
set(ssx_pkgconfig_Threads "-pthread")
set(ssx_pkgconfig_fmt "-DFMT_HEADER_ONLY=1")
if(SSX_FMT STREQUAL "fmt::fmt")
  set(ssx_pkgconfig_fmt "fmt")
endif()
set(ssx_pkgconfig_spdlog "spdlog")
set(ssx_pkgconfig_ZLIB "zlib")

set(ssx_packages "")
set(ssx_build_packages "")
set(ssx_requires "")
set(ssx_libs "")
set(ssx_cflags "")
foreach(dep IN LISTS ssx_deps)
  if(dep MATCHES "^[a-z0-9]+$")  # a library that is linked by its name
    list(APPEND ssx_libs "-l${dep}")
  endif()
  string(REGEX MATCH "^(\\$<BUILD_INTERFACE:)?([A-Za-z0-9_]+)::" match "${dep}")
  set(package "${CMAKE_MATCH_2}")
  if(NOT match OR package STREQUAL "ssxrver")
    continue()
  endif()
  list(APPEND ssx_build_packages "${package}")
  if(CMAKE_MATCH_1)
    continue()
  endif()
  list(APPEND ssx_packages "${package}")
  if(NOT DEFINED ssx_pkgconfig_${package})
    message(FATAL_ERROR "ssxrver/cmake/install.cmake does not know ${dep} for pkg-config")
  endif()
  set(module "${ssx_pkgconfig_${package}}")
  if(module MATCHES "^-D")
    list(APPEND ssx_cflags "${module}")
  elseif(module MATCHES "^-")
    list(APPEND ssx_libs "${module}")
  else()
    list(APPEND ssx_requires "${module}")
  endif()
endforeach()

# --- what is installed ---
install(TARGETS ${ssx_libraries} EXPORT ssxrver
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${ssx_include_dir}")
if(TARGET ssxrver)
  install(TARGETS ssxrver ssxrver-bench RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/html" DESTINATION "${ssx_data_dir}")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "examples" EXCLUDE)
configure_file("${PROJECT_SOURCE_DIR}/ssxrver/cmake/install_conf.cmake.in"
               "${PROJECT_BINARY_DIR}/package/install_conf.cmake" @ONLY)
install(SCRIPT "${PROJECT_BINARY_DIR}/package/install_conf.cmake")

# --- find_package(ssxrver) ---
if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(ssx_tree "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
else()
  set(ssx_tree "${PROJECT_BINARY_DIR}")
endif()
set(ssx_generated "${PROJECT_BINARY_DIR}/package")

# `ssx_plugin_cmake`: where ssxrverPlugin.cmake is found from there; the list of packages follows.
function(ssxrver_package_files folder ssx_plugin_cmake)
  list(REMOVE_DUPLICATES ARGN)
  set(dependencies "")
  foreach(package IN LISTS ARGN)
    string(APPEND dependencies "find_dependency(${package})\n")
  endforeach()
  string(REPLACE "ssxrver_" "" components "${ssx_libraries}")
  configure_file("${PROJECT_SOURCE_DIR}/ssxrver/cmake/ssxrverConfig.cmake.in"
                 "${folder}/ssxrverConfig.cmake" @ONLY)
  write_basic_package_version_file("${folder}/ssxrverConfigVersion.cmake"
                                   COMPATIBILITY SameMinorVersion)
endfunction()

ssxrver_package_files("${ssx_generated}" "\${CMAKE_CURRENT_LIST_DIR}/ssxrverPlugin.cmake"
                      ${ssx_packages})
ssxrver_package_files("${ssx_tree}" "${PROJECT_SOURCE_DIR}/ssxrver/cmake/ssxrverPlugin.cmake"
                      ${ssx_build_packages})
install(FILES ssxrver/cmake/ssxrverPlugin.cmake ssxrver/cmake/ssxrver_plugin.map
              ssxrver/cmake/ssxrver_plugin_check.cmake
        DESTINATION "${ssx_package_dir}")
install(FILES "${ssx_generated}/ssxrverConfig.cmake" "${ssx_generated}/ssxrverConfigVersion.cmake"
        DESTINATION "${ssx_package_dir}")
install(EXPORT ssxrver NAMESPACE ssxrver:: FILE ssxrverTargets.cmake
        DESTINATION "${ssx_package_dir}")
export(EXPORT ssxrver NAMESPACE ssxrver:: FILE "${ssx_tree}/ssxrverTargets.cmake")

# --- pkg-config ---
# Static libraries stand before what they use: the layers from the top down.
set(ssx_link "")
foreach(library IN LISTS ssx_libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(PREPEND ssx_link "-l${library}")
  endif()
endforeach()
foreach(list IN ITEMS ssx_link ssx_libs ssx_cflags ssx_requires)
  list(REMOVE_DUPLICATES ${list})
  list(JOIN ${list} " " ${list})
endforeach()
string(REGEX REPLACE "[^/]+" ".." ssx_up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file("${PROJECT_SOURCE_DIR}/ssxrver/cmake/ssxrver.pc.in" "${ssx_generated}/ssxrver.pc"
               @ONLY)
install(FILES "${ssx_generated}/ssxrver.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
