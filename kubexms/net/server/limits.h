#pragma once

// The bounds of what one client may ask of the HTTP server.

#include <chrono>
#include <cstddef>

namespace kubexms {

// What one client may ask of a server. Everything that a client can make grow has a bound here.
struct HttpLimits {
  // Of one request; beyond them it is answered with 413 and 431.
  size_t body_bytes = size_t{3} * 1024 * 1024;
  size_t header_bytes = size_t{64} * 1024;
  size_t header_count = 200;

  // HTTP/2 only: requests and watches that one connection may have open at a time.
  size_t concurrent_streams = 1000;
  // HTTP/2 only: request bodies that one connection may have in memory at a time. Beyond it, flow
  // control lets them in one after the other (up to 64 KiB of each are under way all the same).
  size_t connection_body_bytes = size_t{12} * 1024 * 1024;
  // HTTP/2 only: frames that cost the server work and bring nothing (PING, SETTINGS, PRIORITY,
  // empty DATA, requests that are reset before their answer) per second, and in one burst.
  double idle_frames_per_second = 100;
  double idle_frames_burst = 1000;

  // Complete answers in memory of their own that one connection has not read yet. With more of them
  // its further reads wait, with four times as much its writes; what is being handled may exceed
  // it.
  size_t connection_unread_bytes = size_t{16} * 1024 * 1024;

  // Answers that are pulled ahead of the socket for one stream.
  size_t stream_buffer_bytes = size_t{64} * 1024;

  // A connection without a request, from its last answer on.
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(3);
  // From the first byte of a request (or the connection's start) to the end of its header.
  std::chrono::milliseconds header_timeout = std::chrono::seconds(20);
  // From the end of the header to the end of the body.
  std::chrono::milliseconds body_timeout = std::chrono::seconds(60);
  // A reader that takes less than 16 KiB of what waits for it within this time is cut off.
  std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
};

}  // namespace kubexms
