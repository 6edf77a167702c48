# How everything here is compiled, and the functions that make libraries and test programs.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(GoogleTest)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE ${KUBEXMS_OPTIMIZE})
# What one library's folder finds can be linked anywhere.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(ccache_settings CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1)
if(KUBEXMS_LINT)
  # Every unit is read by clang-tidy and none is compiled, so there is nothing to link either.
  set(lint_unit ${CMAKE_SOURCE_DIR}/cmake/lint_unit.sh)
  set(CMAKE_CXX_COMPILE_OBJECT
      "${lint_unit} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
  set(CMAKE_CXX_CREATE_STATIC_LIBRARY "<CMAKE_COMMAND> -E touch <TARGET>")
  set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_COMMAND> -E touch <TARGET>")
  # Other rules are another command to Ninja and another compiler to ccache.
  execute_process(COMMAND clang-tidy-22 --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND clang-tidy-22 --dump-config ${CMAKE_SOURCE_DIR}/any.cc --
                  OUTPUT_VARIABLE rules COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${lint_unit} script)
  string(SHA1 rules "${version}${rules}${script}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${CMAKE_SOURCE_DIR}/.clang-tidy ${lint_unit})
  list(APPEND ccache_settings CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=none
       CCACHE_NAMESPACE=${rules} CCACHE_COMMENTS=1)  # some comments say what a check may pass over
else()
  # Equal is only what includes equal files: with precompiled headers that differ from the files in
  # as much as a comment, g++ reads those files a second time.
  list(APPEND ccache_settings CCACHE_DEPEND=1)
endif()
find_program(KUBEXMS_CCACHE ccache)
if(KUBEXMS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${ccache_settings} ${KUBEXMS_CCACHE})
endif()

add_library(kubexms_flags INTERFACE)
target_compile_options(kubexms_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-missing-field-initializers)
# libstdc++'s <cmath> brings the Bessel functions and their like, which every unit would instantiate
# for nobody: a twentieth of a second each. This says that it has brought them already.
target_compile_definitions(kubexms_flags INTERFACE _GLIBCXX_BITS_SPECFUN_H)
target_link_options(kubexms_flags INTERFACE -fuse-ld=lld)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(kubexms_flags INTERFACE -Wthread-safety)
else()
  # g++ looks for garbage less often: a tenth faster, and a fifth more memory.
  target_compile_options(kubexms_flags INTERFACE "SHELL:--param ggc-min-heapsize=524288")
endif()
if(KUBEXMS_SANITIZE)
  add_compile_options(-fsanitize=${KUBEXMS_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KUBEXMS_SANITIZE})
  if(KUBEXMS_SANITIZE MATCHES "thread")
    add_compile_definitions(KUBEXMS_THREAD_SANITIZER)  # the same for every compiler
  endif()
endif()

# kubexms_find_package(NAME args...) and kubexms_find_module(PREFIX pkg-config-name): find what the
# library in this folder links, here and again in the installed CMake package. The target of a module
# is PkgConfig::PREFIX.
function(kubexms_find_package)
  find_package(${ARGN} REQUIRED)
  list(JOIN ARGN " " arguments)
  kubexms_record_dependency("find_dependency(${arguments})")
endfunction()

function(kubexms_find_module prefix module)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  kubexms_record_dependency(
    "find_dependency(PkgConfig)\npkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET ${module})")
endfunction()

# kubexms_record_dependency(TEXT): what the installed package runs before this folder's library.
function(kubexms_record_dependency text)
  get_filename_component(library ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set_property(GLOBAL APPEND_STRING PROPERTY KUBEXMS_FIND_${library} "${text}\n")
endfunction()

if(KUBEXMS_TESTS OR KUBEXMS_BENCHMARKS)
  find_package(GTest REQUIRED)
  find_library(KUBEXMS_RAPIDCHECK rapidcheck REQUIRED)
endif()
if(KUBEXMS_TESTS AND NOT KUBEXMS_SANITIZE)
  set(test_flags -O0)  # a third less to compile; what is tested is optimized
endif()
set(waits_flags -O1)

# Headers that g++ reads once for all units of some libraries, which saves a third of their time.
# Clang, and so the linter, reads every unit without them and finds an include that is missing; the
# sanitizers do so too.
#
# kubexms_precompile(NAME FLAGS flag... LINKS target... HEADERS header...)
function(kubexms_precompile name)
  cmake_parse_arguments(arg "" "" "FLAGS;LINKS;HEADERS" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR KUBEXMS_SANITIZE)
    return()
  endif()
  set(source ${CMAKE_BINARY_DIR}/generated/headers_${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// CMake wants one.\n")
  add_library(headers_${name} OBJECT EXCLUDE_FROM_ALL ${source})
  target_include_directories(headers_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(headers_${name} PRIVATE ${precompiled_flags} ${arg_FLAGS})
  target_link_libraries(headers_${name} PRIVATE kubexms_flags Boost::json fmt::fmt ${arg_LINKS})
  target_precompile_headers(headers_${name} PRIVATE
    <algorithm> <atomic> <chrono> <condition_variable> <deque> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <stop_token> <string> <thread> <unordered_map> <variant> <vector>
    <boost/json/value.hpp> <fmt/format.h> ${arg_HEADERS})
endfunction()

# kubexms_use_precompiled(TARGET NAME)
function(kubexms_use_precompiled target name)
  if(TARGET headers_${name})
    target_compile_options(${target} PRIVATE ${precompiled_flags})
    target_precompile_headers(${target} REUSE_FROM headers_${name})
  endif()
endfunction()

# The first is for all to have the same, the second is for ccache. Of precompiled headers g++ forgets
# which are the system's, and what its optimizer then suspects inside them is wrong: these warnings
# are for the builds without.
set(precompiled_flags -pthread -fpch-preprocess -Wno-array-bounds -Wno-maybe-uninitialized
    -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
set(base_headers <kubexms/base/json/json.h> <kubexms/base/monitoring/log.h>)
set(object_headers ${base_headers} <kubexms/api/codec.h> <kubexms/api/object.h>
    <kubexms/api/schema/schema.h>)
set(controller_headers ${object_headers} <kubexms/api/kinds/apps_v1.h>
    <kubexms/controller/controller.h>)
kubexms_precompile(base HEADERS ${base_headers})
kubexms_precompile(waits HEADERS ${base_headers} FLAGS ${waits_flags})
kubexms_precompile(objects HEADERS ${object_headers})
kubexms_precompile(controllers HEADERS ${controller_headers})
if(KUBEXMS_TESTS)
  set(test_headers <gmock/gmock.h> <gtest/gtest.h>)
  set(test_links GTest::gtest GTest::gmock)
  kubexms_precompile(base_test FLAGS ${test_flags} LINKS ${test_links}
                     HEADERS ${test_headers} ${base_headers})
  kubexms_precompile(controllers_test FLAGS ${test_flags} LINKS ${test_links}
                     HEADERS ${test_headers} ${controller_headers})
endif()
if(KUBEXMS_BENCHMARKS)
  find_package(benchmark REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()

# kubexms_add_library(NAME [WAITS] DEPENDS lib... LINKS target... PUBLIC_LINKS target...
#                     TEST_DEPENDS lib... PRECOMPILED name)
#
# Every .cc in the folder (and the folders below it) is part of the library kubexms_NAME, except
# that the *_test.cc become the test program NAME_test and main.cc belongs to a program. DEPENDS
# are libraries of ours and must agree with the direction table of tests/tidy; LINKS are other
# people's and are not passed on, unless named in PUBLIC_LINKS. TEST_DEPENDS are libraries of ours
# that only the tests use. PRECOMPILED names the headers above that its units are compiled with, if
# not `base`. WAITS is for a library that waits for other machines most of its time: it is optimized
# less, which takes a fifth less to compile.
function(kubexms_add_library name)
  cmake_parse_arguments(arg "WAITS" "PRECOMPILED" "DEPENDS;LINKS;PUBLIC_LINKS;TEST_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  add_library(kubexms_${name} STATIC ${sources})
  add_library(kubexms::${name} ALIAS kubexms_${name})
  set_property(GLOBAL APPEND PROPERTY KUBEXMS_LIBRARIES kubexms::${name})
  set_target_properties(kubexms_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(kubexms_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(kubexms_${name} PUBLIC cxx_std_20)
  foreach(dependency IN LISTS arg_DEPENDS)
    target_link_libraries(kubexms_${name} PUBLIC kubexms::${dependency})
  endforeach()
  target_link_libraries(kubexms_${name} PUBLIC ${arg_PUBLIC_LINKS}
                                        PRIVATE ${arg_LINKS} $<BUILD_INTERFACE:kubexms_flags>)
  set(precompiled base)
  if(arg_WAITS AND NOT KUBEXMS_SANITIZE AND NOT KUBEXMS_LINT)
    target_compile_options(kubexms_${name} PRIVATE ${waits_flags})
    set(precompiled waits)
  elseif(arg_PRECOMPILED)
    set(precompiled ${arg_PRECOMPILED})
  endif()
  kubexms_use_precompiled(kubexms_${name} ${precompiled})

  kubexms_install_component(${name} DEPENDS ${arg_DEPENDS})

  if(KUBEXMS_TESTS AND tests)
    list(TRANSFORM arg_TEST_DEPENDS PREPEND kubexms::)
    set(precompiled base_test)
    if(arg_PRECOMPILED)
      set(precompiled controllers_test)
    endif()
    kubexms_add_test(${name}_test SOURCES ${tests} PRECOMPILED ${precompiled}
                     LINKS kubexms::${name} ${arg_LINKS} ${arg_TEST_DEPENDS})
  endif()
endfunction()

# kubexms_add_test(NAME SOURCES file... LINKS target... PRECOMPILED name): a GoogleTest program, each
# of its tests known to ctest.
function(kubexms_add_test name)
  cmake_parse_arguments(arg "" "PRECOMPILED" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${test_flags})
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED base_test)
  endif()
  kubexms_use_precompiled(${name} ${arg_PRECOMPILED})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} kubexms_flags ${KUBEXMS_RAPIDCHECK}
                                        GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300
                       DISCOVERY_TIMEOUT 60)
endfunction()

set(KUBEXMS_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kubexms)

# kubexms_install_headers(REGEX): the public headers whose paths match, and those that they need.
set(KUBEXMS_PUBLIC_HEADERS ${CMAKE_SOURCE_DIR}/kubexms/public_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${KUBEXMS_PUBLIC_HEADERS})
function(kubexms_install_headers regex)
  file(STRINGS ${KUBEXMS_PUBLIC_HEADERS} headers REGEX ${regex})
  foreach(header IN LISTS headers)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${CMAKE_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  endforeach()
endfunction()

# kubexms_install_component(NAME DEPENDS lib...): the library, its public headers, and the file of the CMake
# package that finds what it links, and nothing else's.
function(kubexms_install_component name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  install(TARGETS kubexms_${name} EXPORT kubexms_${name}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  kubexms_install_headers("^kubexms/${name}/")
  install(EXPORT kubexms_${name} NAMESPACE kubexms:: FILE ${name}Targets.cmake
          DESTINATION ${KUBEXMS_PACKAGE_DIR})

  set(KUBEXMS_COMPONENT ${name})
  set(KUBEXMS_COMPONENT_DEPENDS "${arg_DEPENDS}")
  get_property(KUBEXMS_COMPONENT_FIND GLOBAL PROPERTY KUBEXMS_FIND_${name})
  set(component ${CMAKE_BINARY_DIR}/generated/${name}Component.cmake)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/component.cmake.in ${component} @ONLY)
  install(FILES ${component} DESTINATION ${KUBEXMS_PACKAGE_DIR})
  set_property(GLOBAL APPEND PROPERTY KUBEXMS_COMPONENTS ${name})
endfunction()

# kubexms_install_package(): the CMake package that find_package(kubexms) reads. After all
# libraries.
function(kubexms_install_package)
  get_property(KUBEXMS_COMPONENTS GLOBAL PROPERTY KUBEXMS_COMPONENTS)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/kubexmsConfig.cmake.in
    ${CMAKE_BINARY_DIR}/kubexmsConfig.cmake INSTALL_DESTINATION ${KUBEXMS_PACKAGE_DIR})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/kubexmsConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/kubexmsConfig.cmake
                ${CMAKE_BINARY_DIR}/kubexmsConfigVersion.cmake DESTINATION ${KUBEXMS_PACKAGE_DIR})
endfunction()

# kubexms_use_allocator(TARGET): jemalloc for a program of ours. The choice is the program's, and no
# library's. The archive stands before everything else, so that its malloc is everybody's.
function(kubexms_use_allocator target)
  if(KUBEXMS_SANITIZE)
    return()
  endif()
  find_library(KUBEXMS_JEMALLOC libjemalloc.a REQUIRED)
  target_link_options(${target} PRIVATE ${KUBEXMS_JEMALLOC})
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/kubexms/allocator.cc)
endfunction()
