// Times the exact tree engine on one model and one matrix of rows: the kernels themselves, from rows that are coded
// already, and the methods that stand on them, through run(). One line of JSON for each quantity, with the seconds of
// every repetition and of the prediction (one "pass") that was timed directly before it.
//
//   tree_kernels --model FILE --data FILE --rows N --columns P [--target FILE] [--threads T] [--repeats K]
//                [--seconds S] [--only predict,pd,…]
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "sightglass/base/error.h"
#include "tree_quantities.h"

namespace sightglass {

namespace {

struct Settings {
  std::string model, data, target;
  std::size_t rows = 0, columns = 0;
  int threads = 1, repeats = 5;
  double seconds = 30;  // no further repetition after so many
  std::vector<std::string> only;
};

// Megabytes of memory, now or (VmHWM) at the most since it was last forgotten.
double memory(const std::string& key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::stod(line.substr(key.size() + 1)) * 1024 / 1e6;
  }
  return 0;
}
void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

class Bench {
 public:
  explicit Bench(Settings settings)
      : settings_(std::move(settings)),
        context_(settings_.threads),
        model_(read_bench_model(settings_.model)),
        data_(*model_, settings_.data, settings_.target, settings_.rows, settings_.columns),
        kernels_(*model_, data_, context_) {}

  void run_all() {
    time("code", [&](Laps& laps) { kernels_.code(laps); });
    time("predict-coded", [&](Laps& laps) { kernels_.coded_prediction(laps); });
    time("predict", [&](Laps& laps) { kernels_.prediction(laps); });
    time("pd", [&](Laps& laps) { kernels_.singles(laps); });
    time("h", [&](Laps& laps) { kernels_.pairs(laps); });
    time("shap", [&](Laps& laps) { kernels_.shapley(false, laps); });
    time("shap-cover", [&](Laps& laps) { kernels_.shapley(true, laps); });
    kernels_.count_only(true);
    time("h-counts", [&](Laps& laps) { kernels_.pairs(laps); });
    time("shap-counts", [&](Laps& laps) { kernels_.shapley(false, laps); });
    kernels_.count_only(false);
    for (const UserMethod& method : methods_of_users()) {
      time_method(method.name, method, few_caveats(method.options));
      time_method(method.name + "-caveats", method, method.options);
    }
    for (const std::string quantity : {"pd", "h", "shap"}) measure_memory(quantity);
  }

 private:
  struct UserMethod {
    std::string name, method;
    Value options;
    std::string needs;  // an option without which it makes no sense
  };
  // All rows, whatever a default budget would say.
  [[nodiscard]] std::vector<UserMethod> methods_of_users() const {
    const std::int64_t no_limit = std::int64_t{1} << 60;
    return {
        {"run-ale", "ale", Value::object({}), ""},
        {"run-reliance", "model-reliance",
         Value::object({{"target", "target"}, {"predictions", no_limit}, {"divide", false}}), ""},
        {"run-importance", "permutation-importance",
         Value::object(
             {{"target", "target"}, {"losses", std::vector<std::string>{"squared"}}, {"estimator", "expected"}}),
         "estimator"},
        {"run-pdp", "partial-dependence", Value::object({}), ""},
        {"run-pdp-breakpoints", "partial-dependence", Value::object({{"spread", false}, {"grid_rule", "breakpoints"}}),
         "spread"},
        {"run-interactions", "interactions", Value::object({{"predictions", no_limit}}), ""},
        {"run-interactions-default", "interactions", Value::object({}), ""},
        {"run-shap", "shap", Value::object({}), ""},
        {"run-shap-cover", "shap", Value::object({{"background", "cover"}}), ""},
    };
  }

  // What run() does to know what to beware of is no part of a method, and costs the same whatever the engine.
  static Value few_caveats(Value options) {
    options.set("caveat_rows", 100).set("skill_rows", 100);
    return options;
  }
  void time_method(const std::string& name, const UserMethod& method, const Value& options) {
    if (!wanted(name)) return;
    const auto& specs = find_method(method.method).options;
    const bool known = method.needs.empty() || std::any_of(specs.begin(), specs.end(), [&](const OptionSpec& spec) {
                         return spec.name == method.needs;
                       });
    if (known) {
      time(name, [&](Laps& laps) { kernels_.method(method.method, options, laps); });
    } else {
      print({{"quantity", name}, {"error", "the method " + method.method + " has no option " + method.needs}});
    }
  }

  [[nodiscard]] bool wanted(const std::string& quantity) const {
    return std::find(settings_.only.begin(), settings_.only.end(), quantity) != settings_.only.end();
  }
  static void print(const Json& line) {
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }

  void time(const std::string& quantity, const std::function<void(Laps&)>& run) {
    if (!wanted(quantity)) return;
    Json line = {{"quantity", quantity}, {"threads", settings_.threads}, {"rows", settings_.rows}};
    line["seconds"] = Json::array();
    line["pass"] = Json::array();
    line["phases"] = Json::object();
    try {
      // Reading the rows is nobody's time, nor are the first pages of fresh memory.
      (void)data_.by_set();
      if (quantity.starts_with("run-") || quantity == "code" || quantity == "predict") (void)data_.table();
      (void)kernels_.pass();
      const double begin = now();
      for (int repeat = 0; repeat < settings_.repeats && (repeat == 0 || now() - begin < settings_.seconds); ++repeat) {
        line["pass"].push_back(kernels_.pass());
        Laps laps;
        run(laps);
        double sum = 0;
        for (const std::string& phase : laps.order) {
          if (phase.empty()) continue;
          line["phases"][phase].push_back(laps.seconds.at(phase));
          sum += laps.seconds.at(phase);
        }
        line["seconds"].push_back(sum);
        line["facts"] = laps.facts;
      }
    } catch (const std::exception& error) {
      line["error"] = error.what();
    }
    print(line);
  }

  // Counting while only the codes of the rows are in memory.
  void measure_memory(const std::string& quantity) {
    if (!wanted("memory-" + quantity)) return;
    if (quantity == "shap") {
      (void)data_.by_set();
      data_.forget_by_slot();
    } else {
      (void)data_.by_slot();
    }
    forget_peak();
    const double before = memory("VmRSS:");
    Laps laps;
    kernels_.count_only(true);
    if (quantity == "pd") kernels_.singles(laps);
    if (quantity == "h") kernels_.pairs(laps);
    if (quantity == "shap") kernels_.shapley(false, laps);
    print({{"quantity", "memory-" + quantity},
           {"threads", settings_.threads},
           {"rows", settings_.rows},
           {"coded_mb", static_cast<double>(data_.coded_bytes()) / 1e6},
           {"before_mb", before},
           {"peak_mb", memory("VmHWM:")},
           {"facts", laps.facts}});
  }

  Settings settings_;
  Context context_;
  std::unique_ptr<Model> model_;
  BenchData data_;
  Kernels kernels_;
};

Settings read_settings(const std::vector<std::string>& words) {
  Settings settings;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string &key = words[i], &value = words[i + 1];
    if (key == "--model") {
      settings.model = value;
    } else if (key == "--data") {
      settings.data = value;
    } else if (key == "--target") {
      settings.target = value;
    } else if (key == "--rows") {
      settings.rows = std::stoul(value);
    } else if (key == "--columns") {
      settings.columns = std::stoul(value);
    } else if (key == "--threads") {
      settings.threads = std::stoi(value);
    } else if (key == "--repeats") {
      settings.repeats = std::stoi(value);
    } else if (key == "--seconds") {
      settings.seconds = std::stod(value);
    } else if (key == "--only") {
      std::istringstream list(value);
      for (std::string quantity; std::getline(list, quantity, ',');) settings.only.push_back(quantity);
    } else {
      throw Error(ErrorKind::usage, "unknown option " + key);
    }
  }
  if (words.size() % 2 != 0 || settings.model.empty() || settings.data.empty() || settings.rows == 0)
    throw Error(ErrorKind::usage, "needs --model, --data, --rows, --columns and --only");
  return settings;
}

}  // namespace

}  // namespace sightglass

int main(int count, char** words) {
  try {
    sightglass::Bench(sightglass::read_settings({words + 1, words + count})).run_all();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tree_kernels: %s\n", error.what());
    return 1;
  }
  return 0;
}
