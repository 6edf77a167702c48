#pragma once

// Limits of the HTTP server for one client.

#include <chrono>
#include <cstddef>

namespace kubexms {

// Every resource of the server that a client can consume has a limit here.
struct HttpLimits {
  // For one request; larger ones get 413 and 431.
  size_t body_bytes = size_t{3} * 1024 * 1024;
  size_t header_bytes = size_t{64} * 1024;
  size_t header_count = 200;

  // HTTP/2 only: concurrent requests and watches of one connection.
  size_t concurrent_streams = 1000;
  // HTTP/2 only: memory for the request bodies of one connection. Beyond the limit, flow control
  // admits one body at a time (and up to 64 KiB of each other body).
  size_t connection_body_bytes = size_t{12} * 1024 * 1024;
  // HTTP/2 only: rate and burst of frames that cause work without a result (PING, SETTINGS,
  // PRIORITY, empty DATA, requests that are reset before their response).
  double idle_frames_per_second = 100;
  double idle_frames_burst = 1000;

  // Unread complete responses of one connection that have memory of their own. Beyond the limit,
  // further GET requests of the connection wait; beyond four times the limit, all requests.
  // Requests that are being handled may exceed the limit.
  size_t connection_unread_bytes = size_t{16} * 1024 * 1024;

  // Bytes of one stream that are pulled ahead of the socket.
  size_t stream_buffer_bytes = size_t{64} * 1024;

  // For a connection without a request, from the last response on.
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(3);
  // From the first byte of a request (or the connection's start) to the end of its header.
  std::chrono::milliseconds header_timeout = std::chrono::seconds(20);
  // From the end of the header to the end of the body.
  std::chrono::milliseconds body_timeout = std::chrono::seconds(60);
  // A client that reads less than 16 KiB of its pending output in this time is disconnected.
  std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
};

}  // namespace kubexms
