#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sightglass/data/scan/scan.h"
#include "sightglass/data/scan/session_internal.h"

namespace sightglass {

namespace {

constexpr auto look_around = std::chrono::milliseconds(50);
// How long DuckDB may take to notice that it was interrupted.
constexpr auto patience = std::chrono::milliseconds(200);

// Everything that the reading thread touches: it may outlive whoever asked for the table.
struct Reading {
  ScanOptions options;
  Context context{1};
  std::atomic<std::uint64_t> rows{0};
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::exception_ptr problem;
  std::optional<Table> table;

  void run() {
    try {
      context.on_progress = [this](const Progress& progress) { rows = progress.done; };
      options.context = &context;
      table = Table::load(*scan(options), &context);
    } catch (...) {
      problem = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    finished.notify_all();
  }

  [[nodiscard]] bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return finished.wait_for(lock, time, [&] { return done; });
  }
};

// Threads that nobody waits for. The program must not end below them: DuckDB's own memory would be gone.
struct LeftBehind {
  std::mutex mutex;
  std::vector<std::thread> threads;
  pid_t owner = 0;
};

LeftBehind& left_behind() {
  static auto* const all = new LeftBehind;
  return *all;
}

void wait_for_left_behind() {
  LeftBehind& all = left_behind();
  // The copy of a process has none of its threads.
  if (all.owner != ::getpid()) return;
  const std::lock_guard lock(all.mutex);
  for (std::thread& thread : all.threads) thread.join();
  all.threads.clear();
}

void leave_behind(std::thread thread) {
  LeftBehind& all = left_behind();
  const std::lock_guard lock(all.mutex);
  all.threads.push_back(std::move(thread));
  all.owner = ::getpid();
  // Each time, because what is registered last runs first: before all that DuckDB has registered until now.
  std::atexit(wait_for_left_behind);
}

}  // namespace

Table scan_table(ScanOptions options, const Context& context) {
  const auto reading = std::make_shared<Reading>();
  reading->options = std::move(options);
  std::thread thread;
  try {
    thread = std::thread([reading] { reading->run(); });
  } catch (const std::system_error&) {
    // No thread to be had: then without the chance to be stopped at any time.
    reading->run();
  }
  try {
    while (thread.joinable() && !reading->wait(look_around)) context.report({"reading the data", reading->rows, 0});
  } catch (...) {
    reading->context.cancel();
    interrupt_sessions(reading->context);
    if (reading->wait(patience)) {
      thread.join();
    } else {
      leave_behind(std::move(thread));
    }
    throw;
  }
  if (thread.joinable()) thread.join();
  context.check();
  if (reading->problem) std::rethrow_exception(reading->problem);
  return *std::move(reading->table);
}

}  // namespace sightglass
