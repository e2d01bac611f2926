#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <optional>

#include "sightglass/base/shown_path.h"
#include "sightglass/model/remote/curl_library_internal.h"
#include "sightglass/model/remote/http_client_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_in_flight = 4;
constexpr int look_around_ms = 50;
constexpr std::size_t most_header_bytes = std::size_t{1} << 16;
constexpr long connect_ms = 10'000;
// Waits between tries, in seconds. Always these: what a run does must not depend on chance.
constexpr std::array<double, 4> waits = {0.25, 0.5, 1, 2};
constexpr int most_tries = static_cast<int>(waits.size()) + 1;
constexpr int most_tries_of_slow_ones = 2;
constexpr double longest_retry_after = 120;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string seconds_text(double seconds) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, seconds).ptr};
}

bool worth_another_try(long status) {
  return status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504);
}

std::string_view phrase(long status) {
  switch (status) {
    case 400: return " Bad Request";
    case 401: return " Unauthorized";
    case 403: return " Forbidden";
    case 404: return " Not Found";
    case 405: return " Method Not Allowed";
    case 408: return " Request Timeout";
    case 413: return " Content Too Large";
    case 415: return " Unsupported Media Type";
    case 422: return " Unprocessable Content";
    case 429: return " Too Many Requests";
    case 500: return " Internal Server Error";
    case 501: return " Not Implemented";
    case 502: return " Bad Gateway";
    case 503: return " Service Unavailable";
    case 504: return " Gateway Timeout";
    default: return "";
  }
}

}  // namespace

// One request under way, or waiting for its next try.
struct HttpClient::Transfer {
  CURL* handle = nullptr;
  HttpQuestion question;
  HttpAnswer answer;
  std::size_t header_bytes = 0;
  bool too_much = false;
  std::string url;
  std::array<char, CURL_ERROR_SIZE> reason{};
  int tries = 0;
  enum class State { idle, waiting, running } state = State::idle;
  double not_before = 0;

  static std::size_t take_body(const char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::size_t bytes = size * count;
    if (transfer.answer.body.size() + bytes > transfer.question.most_bytes) {
      transfer.too_much = true;
      return 0;
    }
    transfer.answer.body.append(data, bytes);
    return bytes;
  }
  static std::size_t take_header(const char* /*data*/, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    transfer.header_bytes += size * count;
    transfer.too_much = transfer.header_bytes > most_header_bytes;
    return transfer.too_much ? 0 : size * count;
  }
};

// What libcurl keeps: connections, which stay open between questions.
struct HttpClient::Wires {
  pid_t owner = ::getpid();
  CURLM* multi = nullptr;
  curl_slist* headers = nullptr;
  std::array<Transfer, most_in_flight> transfers;

  Wires(const ServerAddress& address, const HttpLimits& limits, const std::string& token) {
    const Curl& c = curl();
    multi = c.multi_init();
    std::vector<std::string> lines = {"Content-Type: application/json", "Accept: application/json", "Expect:"};
    if (!token.empty()) lines.push_back("Authorization: Bearer " + token);
    for (const std::string& line : lines) headers = c.slist_append(headers, line.c_str());
    // What is for this machine does not leave it.
    const std::string proxy = address.loopback ? "" : environment("SIGHTGLASS_PROXY");
    const std::string authority = environment("SIGHTGLASS_CA_FILE");
    for (Transfer& transfer : transfers) {
      CURL* handle = transfer.handle = c.easy_init();
      if (multi == nullptr || handle == nullptr || headers == nullptr)
        throw Error(ErrorKind::model, "libcurl cannot be started: not enough memory");
      const auto set = [&](CURLoption option, auto value) { (void)c.easy_setopt(handle, option, value); };
      set(CURLOPT_PRIVATE, static_cast<void*>(&transfer));
      set(CURLOPT_ERRORBUFFER, transfer.reason.data());
      set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
      set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
      set(CURLOPT_HEADERFUNCTION, &Transfer::take_header);
      set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
      set(CURLOPT_HTTPHEADER, headers);
      set(CURLOPT_USERAGENT, "sightglass");
      set(CURLOPT_NOSIGNAL, 1L);
      set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
      set(CURLOPT_HTTP09_ALLOWED, 0L);
      // A redirect could lead the token and the rows anywhere.
      set(CURLOPT_FOLLOWLOCATION, 0L);
      set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
      set(CURLOPT_SSL_VERIFYPEER, 1L);
      set(CURLOPT_SSL_VERIFYHOST, 2L);
      if (!authority.empty()) set(CURLOPT_CAINFO, authority.c_str());
      // An empty one: none, whatever http_proxy says. Nobody's rows go where nobody said.
      set(CURLOPT_PROXY, proxy.c_str());
      set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::min(std::ceil(limits.timeout * 1000), 1e9)));
      set(CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
      set(CURLOPT_BUFFERSIZE, 1L << 18);
#if LIBCURL_VERSION_NUM >= 0x075700
      // Ctrl-C does not wait until a host has been looked up.
      set(CURLOPT_QUICK_EXIT, 1L);
#endif
    }
  }
  ~Wires() {
    const Curl& c = curl();
    for (Transfer& transfer : transfers) {
      if (transfer.handle == nullptr) continue;
      stop(transfer);
      c.easy_cleanup(transfer.handle);
    }
    if (multi != nullptr) c.multi_cleanup(multi);
    c.slist_free_all(headers);
  }
  Wires(const Wires&) = delete;
  Wires& operator=(const Wires&) = delete;

  void start(Transfer& transfer) {
    const Curl& c = curl();
    transfer.answer = {};
    transfer.header_bytes = 0;
    transfer.too_much = false;
    transfer.reason[0] = '\0';
    const auto set = [&](CURLoption option, auto value) { (void)c.easy_setopt(transfer.handle, option, value); };
    set(CURLOPT_URL, transfer.url.c_str());
    if (transfer.question.post) {
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.question.body.size()));
      set(CURLOPT_POSTFIELDS, transfer.question.body.c_str());
    } else {
      set(CURLOPT_HTTPGET, 1L);
    }
    c.multi_add_handle(multi, transfer.handle);
    transfer.state = Transfer::State::running;
  }
  void stop(Transfer& transfer) {
    if (transfer.state == Transfer::State::running) curl().multi_remove_handle(multi, transfer.handle);
    transfer.state = Transfer::State::idle;
  }
};

// One conversation: until all questions have been answered, or one of them never will be.
class HttpClient::Round {
 public:
  Round(HttpClient& client, const std::function<bool(HttpQuestion&)>& next,
        const std::function<void(const HttpQuestion&, HttpAnswer&)>& take, const Context& context)
      : client_(client), wires_(client.wires()), next_(next), take_(take), context_(context) {}
  ~Round() {
    for (Transfer& transfer : wires_.transfers) {
      wires_.stop(transfer);
      transfer.question = {};
      transfer.answer = {};
    }
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  void run() {
    while (true) {
      context_.check();
      if (context_.on_poll) context_.on_poll();
      bool busy = false;
      for (Transfer& transfer : wires_.transfers) busy = keep_going(transfer) || busy;
      if (!busy) break;
      exchange();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  using State = Transfer::State;

  // False: there is nothing to do for it.
  bool keep_going(Transfer& transfer) {
    if (failure_ && transfer.state != State::idle && transfer.question.order > failed_order_) wires_.stop(transfer);
    if (transfer.state == State::idle) {
      HttpQuestion question;
      if (failure_ || !next_(question)) return false;
      transfer.question = std::move(question);
      transfer.url = client_.address_.origin + transfer.question.path;
      transfer.tries = 0;
      transfer.not_before = 0;
      transfer.state = State::waiting;
    }
    if (transfer.state == State::waiting && context_.clock() >= std::max(transfer.not_before, client_.not_before_))
      send(transfer);
    return transfer.state != State::idle;
  }

  void send(Transfer& transfer) {
    const std::uint64_t most = client_.limits_.max_requests;
    if (most != 0 && client_.sent_ >= most) {
      settle(transfer, [&] {
        client_.fail(transfer.question, "the budget of " + std::to_string(most) + " requests is used up",
                     marked("raise {argument:max_requests}, or ask for fewer rows ({option:sample})"));
      });
      return;
    }
    ++client_.sent_;
    ++transfer.tries;
    wires_.start(transfer);
  }

  void exchange() {
    const Curl& c = curl();
    int running = 0;
    c.multi_perform(wires_.multi, &running);
    bool any = false;
    int left = 0;
    while (const CURLMsg* message = c.multi_info_read(wires_.multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      void* self = nullptr;
      c.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
      const CURLcode code = message->data.result;
      auto& transfer = *static_cast<Transfer*>(self);
      c.easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &transfer.answer.status);
      wires_.stop(transfer);
      finish(transfer, code);
      any = true;
    }
    // While all wait for their next try there is nothing to listen to, and this is a pause.
    if (!any) c.multi_poll(wires_.multi, nullptr, 0, look_around_ms, nullptr);
  }

  // The end of a transfer, unless `act` throws: of several failures the first by order is kept.
  template <class Act>
  void settle(Transfer& transfer, Act&& act) {
    transfer.state = State::idle;
    try {
      act();
    } catch (const Error&) {
      if (!failure_ || transfer.question.order < failed_order_) {
        failure_ = std::current_exception();
        failed_order_ = transfer.question.order;
      }
    }
  }

  void finish(Transfer& transfer, CURLcode code) {
    if (code == CURLE_OK) client_.answered_ = true;
    const long status = transfer.answer.status;
    if (code != CURLE_OK ? lost(transfer, code) : worth_another_try(status)) {
      if (try_again(transfer)) return;
    }
    settle(transfer, [&] {
      if (code != CURLE_OK) fail_transfer(transfer, code);
      if (status >= 300 && status < 400) fail_redirect(transfer);
      if (status == 401 || status == 403) {
        client_.fail(transfer.question, "does not let us in: " + said(transfer.answer),
                     client_.token_.empty() ? "set the environment variable SIGHTGLASS_TOKEN to a token for this server"
                                            : "is SIGHTGLASS_TOKEN a token for this server, and still valid?");
      }
      if (status == 429) client_.fail(transfer.question, "is asked too often: " + said(transfer.answer), busy_advice());
      if (status < 200 || status >= 500 || status == 408)
        client_.fail(transfer.question, "answers " + said(transfer.answer) + tries_text(transfer), trouble_advice(),
                     client_.told(transfer.answer.body.substr(0, 4096)));
      client_.hide_token(transfer.answer.body);
      take_(transfer.question, transfer.answer);
    });
    transfer.answer = {};
  }

  static Text busy_advice() { return marked("come back later, or ask for fewer rows ({option:sample})"); }
  static Text trouble_advice() { return "look into the log of the server"; }

  [[nodiscard]] std::string said(const HttpAnswer& answer) const {
    const std::string words = client_.told(words_of_error(answer.body));
    return std::to_string(answer.status) + std::string(phrase(answer.status)) + (words.empty() ? "" : ": " + words);
  }

  [[nodiscard]] static std::string tries_text(const Transfer& transfer) {
    return transfer.tries > 1 ? " (asked " + std::to_string(transfer.tries) + " times)" : "";
  }

  // Whether what went wrong on the way may go right the next time.
  [[nodiscard]] bool lost(const Transfer& transfer, CURLcode code) const {
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT: return transfer.tries < most_tries_of_slow_ones;
      case CURLE_COULDNT_CONNECT:
      case CURLE_COULDNT_RESOLVE_HOST:
        return client_.answered_;  // a server that was there comes back; a wrong address stays wrong
      case CURLE_GOT_NOTHING:
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
      case CURLE_PARTIAL_FILE: return true;
      default: return false;
    }
  }

  bool try_again(Transfer& transfer) {
    if (transfer.tries >= most_tries) return false;
    const double now = context_.clock();
    double wait = waits[static_cast<std::size_t>(transfer.tries - 1)];
    curl_off_t asked = 0;
    curl().easy_getinfo(transfer.handle, CURLINFO_RETRY_AFTER, &asked);
    if (asked > 0) {
      const auto seconds = static_cast<double>(asked);
      if (seconds > longest_retry_after) return false;
      wait = std::max(wait, seconds);
      // Nobody else need try before that.
      client_.not_before_ = std::max(client_.not_before_, now + wait);
    }
    transfer.not_before = now + wait;
    transfer.state = State::waiting;
    return true;
  }

  [[noreturn]] void fail_transfer(const Transfer& transfer, CURLcode code) const {
    const std::string reason = client_.told(transfer.reason.data());
    const HttpQuestion& question = transfer.question;
    const std::string tries = tries_text(transfer);
    if (transfer.too_much) {
      const bool header = transfer.header_bytes > most_header_bytes;
      client_.fail(question,
                   "answers with more than " + std::to_string(header ? most_header_bytes : question.most_bytes) +
                       " bytes" + (header ? " of headers" : ""),
                   "is this the address of the model? An answer has one prediction for each row");
    }
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
        client_.fail(question, "the host is not found" + tries,
                     "is the address right? A proxy is used only if SIGHTGLASS_PROXY names it");
      case CURLE_COULDNT_RESOLVE_PROXY:
        client_.fail(question, "the proxy of SIGHTGLASS_PROXY is not found", "correct the variable, or unset it");
      case CURLE_COULDNT_CONNECT:
        client_.fail(question, "nobody answers at this address" + tries, "is the server running, and is this its port?",
                     reason);
      case CURLE_OPERATION_TIMEDOUT:
        client_.fail(question, "gave no answer within " + seconds_text(client_.limits_.timeout) + " seconds" + tries,
                     marked("allow it more time ({argument:timeout}), or make the server faster"), reason);
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_SSL_CERTPROBLEM:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_ISSUER_ERROR:
        client_.fail(
            question, "no safe connection: " + printable(reason, 200),
            "use the host name that its certificate is for; of an authority of your own, name the certificate's "
            "file in SIGHTGLASS_CA_FILE");
      case CURLE_PARTIAL_FILE: client_.fail(question, "its answer is cut off" + tries, trouble_advice(), reason);
      case CURLE_GOT_NOTHING:
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
        client_.fail(question, "the connection broke off before the answer was there" + tries, trouble_advice(),
                     reason);
      default:
        client_.fail(question, printable(reason.empty() ? curl().easy_strerror(code) : reason, 200) + tries,
                     "is a server of models at this address?");
    }
  }

  [[noreturn]] void fail_redirect(const Transfer& transfer) const {
    const char* to = nullptr;
    curl().easy_getinfo(transfer.handle, CURLINFO_REDIRECT_URL, &to);
    client_.fail(transfer.question,
                 "sends us elsewhere (" + std::to_string(transfer.answer.status) + ")" +
                     (to == nullptr ? "" : ": " + client_.told(shown_server(to))),
                 marked("redirects are not followed; give the address where the model is as {argument:model}"));
  }

  HttpClient& client_;
  Wires& wires_;
  const std::function<bool(HttpQuestion&)>& next_;
  const std::function<void(const HttpQuestion&, HttpAnswer&)>& take_;
  const Context& context_;
  std::exception_ptr failure_;
  std::uint64_t failed_order_ = 0;
};

HttpClient::HttpClient(ServerAddress address, const HttpLimits& limits)
    : address_(std::move(address)), limits_(limits), token_(environment("SIGHTGLASS_TOKEN")) {
  const auto visible = [](char c) { return c > ' ' && c < 127; };
  if (!std::all_of(token_.begin(), token_.end(), visible))
    throw Error(ErrorKind::usage, "SIGHTGLASS_TOKEN has blanks or letters in it that no token has",
                "set it to the token alone, without Bearer and without a line break");
  if (!token_.empty() && !address_.secure && !address_.loopback)
    throw Error(ErrorKind::usage,
                address_.origin + ": a token is not sent over http, where everybody on the way reads it",
                "use https://, or unset SIGHTGLASS_TOKEN");
}

HttpClient::~HttpClient() {
  // Of a process that forked these belong to the parent: closing them would say good-bye in its name.
  if (wires_ && wires_->owner != ::getpid()) (void)wires_.release();  // NOLINT
}

HttpClient::Wires& HttpClient::wires() {
  if (wires_ && wires_->owner != ::getpid()) (void)wires_.release();  // NOLINT
  if (!wires_) wires_ = std::make_unique<Wires>(address_, limits_, token_);
  return *wires_;
}

void HttpClient::ask(const std::function<bool(HttpQuestion&)>& next,
                     const std::function<void(const HttpQuestion&, HttpAnswer&)>& take, const Context& context) {
  Round(*this, next, take, context).run();
}

HttpAnswer HttpClient::ask(HttpQuestion question, const Context& context) {
  bool asked = false;
  HttpAnswer found;
  ask(
      [&](HttpQuestion& to) {
        if (std::exchange(asked, true)) return false;
        to = std::move(question);
        return true;
      },
      [&](const HttpQuestion&, HttpAnswer& answer) { found = std::move(answer); }, context);
  return found;
}

std::string HttpClient::name_of(const HttpQuestion& question) const {
  return printable(address_.origin, 100) + ": " + (question.post ? "POST " : "GET ") +
         printable(question.path.empty() ? "/" : question.path, 160) +
         (question.about.empty() ? "" : " (" + question.about + ")");
}

std::string HttpClient::told(std::string_view words) const {
  std::string text(words);
  hide_token(text);
  return without_folders(text);
}

void HttpClient::hide_token(std::string& text) const {
  if (token_.empty()) return;
  for (std::size_t at = text.find(token_); at != std::string::npos; at = text.find(token_, at))
    text.replace(at, token_.size(), "…");
}

void HttpClient::refuse(const HttpQuestion& question, const HttpAnswer& answer, std::string_view advice) const {
  const std::string words = told(words_of_error(answer.body));
  fail(question,
       "answers " + std::to_string(answer.status) + std::string(phrase(answer.status)) +
           (words.empty() ? "" : ": " + printable(words, 300)),
       marked(std::string(advice)), told(answer.body.substr(0, 4096)));
}

void HttpClient::fail(const HttpQuestion& question, const std::string& what, const Text& advice,
                      std::string detail) const {
  throw Error(kind_, name_of(question) + " " + printable(what, 500), advice, std::move(detail));
}

std::string words_of_error(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(body.data(), body.size()).get(root) != simdjson::SUCCESS) {
    // A page says nothing in one line.
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || body[first] == '<') return "";
    return printable(body.substr(first, 400), 300);
  }
  for (const char* key : {"error", "message", "detail", "msg"}) {
    simdjson::dom::element found;
    if (root.at_key(key).get(found) != simdjson::SUCCESS) continue;
    std::string_view text;
    if (found.get(text) == simdjson::SUCCESS) return printable(text, 300);
    return printable(simdjson::to_string(found), 300);
  }
  return printable(body.substr(0, 400), 300);
}

}  // namespace sightglass
