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
endif()
find_program(KUBEXMS_CCACHE ccache)
if(KUBEXMS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${ccache_settings} ${KUBEXMS_CCACHE})
endif()

add_library(kubexms_flags INTERFACE)
target_compile_options(kubexms_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-missing-field-initializers)
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

# kubexms_find_package(NAME args...) and kubexms_find_module(PREFIX pkg-config-name): find what a
# library of ours links, here and again in the installed CMake package. The target of a module is
# PkgConfig::PREFIX.
function(kubexms_find_package)
  find_package(${ARGN} REQUIRED)
  list(JOIN ARGN " " arguments)
  set_property(GLOBAL APPEND_STRING PROPERTY KUBEXMS_FIND "find_dependency(${arguments})\n")
endfunction()

function(kubexms_find_module prefix module)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  set_property(GLOBAL APPEND_STRING PROPERTY KUBEXMS_FIND
    "find_dependency(PkgConfig)\npkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET ${module})\n")
endfunction()

kubexms_find_package(Threads)
kubexms_find_package(Boost 1.81 COMPONENTS json)
kubexms_find_package(fmt)
kubexms_find_package(simdjson)
kubexms_find_module(yaml yaml-0.1)
kubexms_find_module(re2 re2)
kubexms_find_package(prometheus-cpp COMPONENTS core)
# store: RocksDB, and gRPC for etcd (whose own CMake package names a target that re2 does not have)
kubexms_find_package(absl)
kubexms_find_package(RocksDB)
kubexms_find_package(Protobuf)
kubexms_find_module(grpc grpc++)
find_program(KUBEXMS_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
# net
kubexms_find_package(OpenSSL 3)
kubexms_find_package(ZLIB)
kubexms_find_module(nghttp2 libnghttp2)
# automation
kubexms_find_module(libssh libssh)
if(KUBEXMS_TESTS OR KUBEXMS_BENCHMARKS)
  find_package(GTest REQUIRED)
  find_library(KUBEXMS_RAPIDCHECK rapidcheck REQUIRED)
endif()
if(KUBEXMS_TESTS)
  if(NOT KUBEXMS_SANITIZE)
    set(test_flags -O0)  # a third less to compile; what is tested is optimised
  endif()
  # What nearly every test includes of other people's headers, read by g++ once for all. clang, and
  # so the linter, reads every unit without it and finds an include that is missing. Not for the
  # libraries: g++ -O2 then warns about the insides of the standard library.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND test_flags -pthread -fpch-preprocess)  # the same for all; ccache wants the latter
    set(source ${CMAKE_BINARY_DIR}/generated/test_headers.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "// CMake wants one.\n")
    add_library(kubexms_test_headers OBJECT EXCLUDE_FROM_ALL ${source})
    target_compile_options(kubexms_test_headers PRIVATE ${test_flags})
    target_link_libraries(kubexms_test_headers PRIVATE kubexms_flags Boost::json fmt::fmt
                          Threads::Threads GTest::gtest GTest::gmock)
    target_precompile_headers(kubexms_test_headers PRIVATE
      <algorithm> <atomic> <chrono> <condition_variable> <deque> <functional> <map> <memory> <mutex>
      <optional> <set> <span> <stop_token> <string> <thread> <unordered_map> <variant> <vector>
      <boost/json/value.hpp> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()
if(KUBEXMS_BENCHMARKS)
  find_package(benchmark REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()

# kubexms_add_library(NAME [WAITS] DEPENDS lib... LINKS target... PUBLIC_LINKS target...
#                     TEST_DEPENDS lib...)
#
# Every .cc in the folder (and the folders below it) is part of the library kubexms_NAME, except
# that the *_test.cc become the test program NAME_test and main.cc belongs to a program. DEPENDS
# are libraries of ours and must agree with the direction table of tests/tidy; LINKS are other
# people's and are not passed on, unless named in PUBLIC_LINKS. TEST_DEPENDS are libraries of ours
# that only the tests use. WAITS is for a library that waits for other machines most of its time: it
# is optimised less, which takes a fifth less to compile.
function(kubexms_add_library name)
  cmake_parse_arguments(arg "WAITS" "" "DEPENDS;LINKS;PUBLIC_LINKS;TEST_DEPENDS" ${ARGN})
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
  if(arg_WAITS AND NOT KUBEXMS_SANITIZE AND NOT KUBEXMS_LINT)
    target_compile_options(kubexms_${name} PRIVATE -O1)
  endif()

  install(TARGETS kubexms_${name} EXPORT kubexms_targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kubexms/${name} FILES_MATCHING PATTERN "*.h")

  if(KUBEXMS_TESTS AND tests)
    list(TRANSFORM arg_TEST_DEPENDS PREPEND kubexms::)
    kubexms_add_test(${name}_test SOURCES ${tests}
                     LINKS kubexms::${name} ${arg_LINKS} ${arg_TEST_DEPENDS})
  endif()
endfunction()

# kubexms_add_test(NAME SOURCES file... LINKS target...): a GoogleTest program, each of its tests
# known to ctest.
function(kubexms_add_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${test_flags})
  if(TARGET kubexms_test_headers)
    target_precompile_headers(${name} REUSE_FROM kubexms_test_headers)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LINKS} kubexms_flags ${KUBEXMS_RAPIDCHECK}
                                        GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300
                       DISCOVERY_TIMEOUT 60)
endfunction()

# kubexms_install_package(): the CMake package that find_package(kubexms) reads. After all
# libraries.
function(kubexms_install_package)
  set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/kubexms)
  get_property(KUBEXMS_FIND GLOBAL PROPERTY KUBEXMS_FIND)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/kubexmsConfig.cmake.in
    ${CMAKE_BINARY_DIR}/kubexmsConfig.cmake INSTALL_DESTINATION ${destination})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/kubexmsConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/kubexmsConfig.cmake
                ${CMAKE_BINARY_DIR}/kubexmsConfigVersion.cmake DESTINATION ${destination})
  install(EXPORT kubexms_targets NAMESPACE kubexms:: FILE kubexmsTargets.cmake
          DESTINATION ${destination})
endfunction()
