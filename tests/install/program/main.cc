// A program of someone who has installed kubexms: reads JSON and prints its canonical form.

#include <iostream>

#include "kubexms/base/json.h"

int main() {
  const auto pod = kubexms::ParseJson(R"({"metadata": {"name": "web"}, "kind": "Pod"})");
  if (!pod.ok()) {
    std::cerr << pod.error().message() << "\n";
    return 1;
  }
  std::cout << kubexms::WriteJson(*pod) << "\n";
  return 0;
}
