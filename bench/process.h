#pragma once

// Helpers for benchmark programs that run other programs.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "kubexms/base/check.h"

namespace kubexms::bench {

// A free port of the loopback address.
inline uint16_t FreePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  KUBEXMS_CHECK(::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

// The output of a shell command.
inline std::string Output(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) {
    output.append(buffer, count);
  }
  ::pclose(pipe);
  return output;
}

}  // namespace kubexms::bench
