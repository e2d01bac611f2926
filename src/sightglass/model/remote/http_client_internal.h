// Asks a server over HTTP, several requests at a time, and lives with whatever it does: is busy, dies, hangs, never
// stops answering, sends us elsewhere. What is tried again and when is fixed: nothing about it is random.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sightglass/base/context.h"
#include "sightglass/base/error.h"
#include "sightglass/model/remote/server_address_internal.h"

namespace sightglass {

struct HttpQuestion {
  std::uint64_t order = 0;  // of several failures the first one by it is told
  std::string path;         // behind the server's origin
  std::string body;         // empty and not post: GET
  bool post = false;
  std::size_t most_bytes = 1 << 22;  // of an answer
  std::string about;                 // "1000 rows", for messages
};

struct HttpAnswer {
  long status = 0;
  std::string body;
};

struct HttpLimits {
  double timeout = 60;             // seconds for one request
  std::uint64_t max_requests = 0;  // of all requests, tries included; 0: any number
};

class HttpClient {
 public:
  HttpClient(ServerAddress address, const HttpLimits& limits);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Asks until next() has no more questions, up to four at a time, and hands on each answer: those with a status below
  // 300 and those that say that the question was wrong (400 to 499, but for 401, 403, 408, 429). Everything else is
  // tried again or thrown as an Error. take() may make next() have more. One conversation at a time.
  void ask(const std::function<bool(HttpQuestion&)>& next,
           const std::function<void(const HttpQuestion&, HttpAnswer&)>& take, const Context& context);
  // One question.
  [[nodiscard]] HttpAnswer ask(HttpQuestion question, const Context& context);

  // From now on the model is known to be there: failures are of predictions.
  void model_is_known() { kind_ = ErrorKind::prediction; }
  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const ServerAddress& address() const { return address_; }
  // How messages call a question: "http://127.0.0.1:8080: POST /v2/models/bike/infer (1000 rows)".
  [[nodiscard]] std::string name_of(const HttpQuestion& question) const;
  // Text of the server, fit to be shown: without the token and without folders.
  [[nodiscard]] std::string told(std::string_view words) const;
  // Throws an Error about an answer that refuses the question.
  [[noreturn]] void refuse(const HttpQuestion& question, const HttpAnswer& answer, std::string_view advice = {}) const;

 private:
  struct Transfer;
  struct Wires;
  class Round;
  // A server may repeat it anywhere.
  void hide_token(std::string& text) const;
  [[noreturn]] void fail(const HttpQuestion& question, const std::string& what, const Text& advice,
                         std::string detail = {}) const;
  [[nodiscard]] Wires& wires();

  ServerAddress address_;
  HttpLimits limits_;
  std::string token_;
  ErrorKind kind_ = ErrorKind::model;
  bool answered_ = false;  // ever
  std::uint64_t sent_ = 0;
  double not_before_ = 0;  // the server wants to be left alone until then, by the context's clock
  std::unique_ptr<Wires> wires_;
};

// What a server says in an answer that is an error: the text of "error", "message" or "detail", or all of it.
[[nodiscard]] std::string words_of_error(std::string_view body);

}  // namespace sightglass
