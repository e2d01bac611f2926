#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "sightglass/data/pictures/picture_table.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/data/scan/session_internal.h"

namespace sightglass {

namespace {

constexpr auto look_around = std::chrono::milliseconds(50);
// How long DuckDB may take to notice that it was interrupted.
constexpr auto patience = std::chrono::milliseconds(200);

// Everything that the reading thread touches: it may outlive whoever asked for the table.
struct ReadingThread {
  ScanOptions options;
  Context context{1};
  std::atomic<std::uint64_t> rows{0};
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::exception_ptr problem;
  std::optional<Table> table;

  void read() {
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

// DuckDB recurses into nested values (json_contains, VARIANT): room for those of a few megabytes of text. It is taken
// only where it is used.
constexpr std::size_t stack_bytes = std::size_t{1} << 30;

void* read_in_thread(void* given) {
  const std::unique_ptr<std::shared_ptr<ReadingThread>> reading(static_cast<std::shared_ptr<ReadingThread>*>(given));
  (*reading)->read();
  return nullptr;
}

// A thread for it; none if the system gives none.
std::optional<pthread_t> start(const std::shared_ptr<ReadingThread>& reading) {
  auto given = std::make_unique<std::shared_ptr<ReadingThread>>(reading);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return std::nullopt;
  pthread_t thread{};
  bool started = false;
  for (const std::size_t bytes : {stack_bytes, stack_bytes / 128}) {
    started = !started && pthread_attr_setstacksize(&attributes, bytes) == 0 &&
              pthread_create(&thread, &attributes, read_in_thread, given.get()) == 0;
    if (started) break;
  }
  pthread_attr_destroy(&attributes);
  if (!started) return std::nullopt;
  [[maybe_unused]] const auto* own = given.release();  // the thread's own now
  return thread;
}

// Threads that nobody waits for. The program must not end below them: DuckDB's own memory would be gone.
struct LeftBehind {
  std::mutex mutex;
  std::vector<pthread_t> threads;
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
  for (const pthread_t thread : all.threads) pthread_join(thread, nullptr);
  all.threads.clear();
}

void leave_behind(pthread_t thread) {
  LeftBehind& all = left_behind();
  const std::lock_guard lock(all.mutex);
  all.threads.push_back(thread);
  all.owner = ::getpid();
  // Each time, because what is registered last runs first: before all that DuckDB has registered until now.
  std::atexit(wait_for_left_behind);
}

}  // namespace

Table scan_table(ScanOptions options, const Context& context) {
  // Pictures are no tables of DuckDB's.
  if (is_picture_place(options.path)) return picture_table(options.path, context);
  const auto reading = std::make_shared<ReadingThread>();
  reading->options = std::move(options);
  const std::optional<pthread_t> thread = start(reading);
  // No thread to be had: then without the chance to be stopped at any time.
  if (!thread) reading->read();
  try {
    while (thread && !reading->wait(look_around)) context.report({"reading the data", reading->rows, 0});
  } catch (...) {
    reading->context.cancel();
    interrupt_sessions(reading->context);
    if (reading->wait(patience)) {
      pthread_join(*thread, nullptr);
    } else {
      leave_behind(*thread);
    }
    throw;
  }
  if (thread) pthread_join(*thread, nullptr);
  context.check();
  if (reading->problem) std::rethrow_exception(reading->problem);
  return *std::move(reading->table);
}

}  // namespace sightglass
