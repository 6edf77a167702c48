#pragma once

// The base of clients that wrap another client, such as clients that count or delay API calls.

#include <memory>

#include "kubexms/client/client.h"

namespace kubexms {

// Forwards every call to `inner`, which must outlive it. Override the calls to change.
class ClientDecorator : public Client {
 public:
  explicit ClientDecorator(Client& inner) : inner_(inner) {}

  Result<SharedBytes> Do(const ClientRequest& request) override { return inner_.Do(request); }
  Result<ObjectPage> ListPage(const ClientRequest& request) override {
    return inner_.ListPage(request);
  }
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    return inner_.OpenWatch(request);
  }
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override {
    return inner_.GetPath(path, std::move(stop));
  }

 protected:
  Client& inner() { return inner_; }

 private:
  Client& inner_;
};

}  // namespace kubexms
