#include "sightglass/methods/run/job.h"

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/base/version.h"
#include "sightglass/model/fingerprint.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

constexpr std::string_view job_mark = "sightglass.job/1";
constexpr std::string_view part_mark = "sightglass.part/1";

// Bytes that say what they are, with a digest behind them.
std::string sealed(std::string_view mark, const ByteSink& content) {
  ByteSink all;
  all.text(mark);
  all.text(content.bytes());
  all.u64(Digest().text(content.bytes()).value());
  return all.bytes();
}

std::string opened(std::string_view mark, std::string_view bytes) {
  const std::string what = mark == job_mark ? "a job" : "a part of a job";
  ByteSource source(bytes);
  std::string content;
  std::uint64_t digest = 0;
  try {
    if (source.text() != mark) throw Error(ErrorKind::data, "");
    content = source.text();
    digest = source.u64();
  } catch (const Error&) {
    throw Error(ErrorKind::data, "these bytes are not " + what + " of this version of sightglass");
  }
  if (!source.done() || digest != Digest().text(content).value())
    throw Error(ErrorKind::data, what + " was damaged on its way", "send it again");
  return content;
}

std::string saved(const Matrix& answer) {
  ByteSink sink;
  sink.u64(answer.rows());
  sink.u64(answer.columns());
  for (std::size_t i = 0; i < answer.rows(); ++i) {
    for (std::size_t j = 0; j < answer.columns(); ++j) sink.f64(answer(i, j));
  }
  return sink.bytes();
}

// To the question that the method asks at this place.
Matrix loaded_answer(const std::string& bytes, const Question& question, std::size_t outputs) {
  ByteSource source(bytes);
  const std::uint64_t rows = source.u64(), columns = source.u64();
  if (rows != question.rows() || columns != outputs || bytes.size() != 8 * (2 + rows * columns))
    throw Error(ErrorKind::data, "the job holds answers to another question");
  Matrix answer(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) answer.span()(i, j) = source.f64();
  }
  return answer;
}

}  // namespace

Job::Job(std::string_view method, const Value& options, const Model& model, const Schema& schema, DataFacts facts,
         const std::vector<MethodEntry>& known)
    : version_(version()),
      method_(find_entry(known, method).name),
      options_(to_json(options)),
      model_(fingerprint(model)),
      schema_(fingerprint(schema)),
      facts_(std::move(facts)) {
  const MethodEntry& entry = find_entry(known, method);
  (void)split_options(options, entry.options);
  require_model(entry, model);
}

std::string Job::save() const {
  ByteSink sink;
  for (const std::string* text : {&version_, &method_, &options_, &model_, &schema_}) sink.text(*text);
  sink.u64(facts_.rows);
  sink.f64(facts_.largest_weight);
  sink.u64(facts_.notes.size());
  for (const std::string& note : facts_.notes) sink.text(note);
  sink.u64(found_.size());
  for (const std::string& partial : found_) sink.text(partial);
  return sealed(job_mark, sink);
}

Job Job::load(std::string_view bytes) {
  const std::string content = opened(job_mark, bytes);
  ByteSource source(content);
  Job job;
  for (std::string* text : {&job.version_, &job.method_, &job.options_, &job.model_, &job.schema_})
    *text = source.text();
  job.facts_.rows = source.u64();
  job.facts_.largest_weight = source.f64();
  job.facts_.notes.resize(source.count(8));
  for (std::string& note : job.facts_.notes) note = source.text();
  job.found_.resize(source.count(8));
  for (std::string& partial : job.found_) partial = source.text();
  return job;
}

std::uint64_t Job::digest() const { return Digest().text(save()).value(); }

WorkOnJob::WorkOnJob(const Job& job, const Model& model, const Source& part, Context& context,
                     const std::vector<MethodEntry>& known)
    : job_(job), digest_(job.digest()) {
  if (job.version_ != version()) {
    throw Error(ErrorKind::data,
                "the job was begun by sightglass " + job.version_ + ", this is " + std::string(version()),
                "use one version everywhere: the numbers may differ");
  }
  if (job.schema_ != fingerprint(part.schema())) {
    throw Error(ErrorKind::data, "the columns of these rows are not those of the job",
                "read every part with the same names, types and levels");
  }
  if (job.model_ != fingerprint(model))
    throw Error(ErrorKind::model, "this is not the model that the job is about", "load the same model everywhere");
  const MethodEntry& entry = find_entry(known, job.method_);
  const auto [told, own] = split_options(value_from_json(job.options_, "job"), entry.options);
  const auto options = read_options<RunOptions>(told);
  session_ = std::make_unique<RunSession>(model, part, job.facts_, options, context, other_model(entry.options, own));
  run_ = std::make_unique<MethodRun>(*session_, entry, own, options.scale);
  Next next = run_->start();
  for (const std::string& bytes : job_.found_) {
    if (const auto* question = std::get_if<std::unique_ptr<Question>>(&next)) {
      answer_bytes_ += bytes.size();
      next = (*question)->next(loaded_answer(bytes, **question, run_->outputs(**question)));
      continue;
    }
    const auto* stage = std::get_if<std::unique_ptr<Stage>>(&next);
    if (stage == nullptr) break;
    const auto partial = (*stage)->empty();
    ByteSource source(bytes);
    partial->load(source);
    if (!source.done()) throw Error(ErrorKind::data, "the job holds what another stage found");
    next = (*stage)->next(*partial);
  }
  if (!std::holds_alternative<std::unique_ptr<Stage>>(next))
    throw Error(ErrorKind::data, "the job holds more than its stages found");
  stage_ = std::move(std::get<std::unique_ptr<Stage>>(next));
}

std::string WorkOnJob::wrap(std::uint64_t rows, const Partial& partial) const {
  ByteSink kept, sink;
  partial.save(kept);
  sink.u64(digest_);
  sink.u64(job_.stage());
  sink.u64(rows);
  sink.text(kept.bytes());
  return sealed(part_mark, sink);
}

std::string WorkOnJob::map(const Source& part) const {
  const auto partial = stage_->empty();
  run_->begin(*stage_);
  const std::uint64_t rows = run_->map(*stage_, part, *partial);
  return wrap(rows, *partial);
}

WorkOnJob::Part WorkOnJob::merged(std::span<const std::string> parts) const {
  Part all{.rows = 0, .partial = stage_->empty()};
  for (const std::string& bytes : parts) {
    const std::string content = opened(part_mark, bytes);
    ByteSource source(content);
    const std::uint64_t digest = source.u64(), stage = source.u64();
    if (stage != job_.stage()) {
      throw Error(ErrorKind::data, "a part is of stage " + std::to_string(stage) + ", the job is at stage " +
                                       std::to_string(job_.stage()));
    }
    if (digest != digest_) throw Error(ErrorKind::data, "a part is of another job");
    all.rows += source.u64();
    const std::string kept = source.text();
    ByteSource of_partial(kept);
    const auto partial = stage_->empty();
    partial->load(of_partial);
    if (!of_partial.done()) throw Error(ErrorKind::data, "a part is of another stage");
    all.partial->merge(*partial);
  }
  return all;
}

std::string WorkOnJob::merge(std::span<const std::string> parts) const {
  const Part all = merged(parts);
  return wrap(all.rows, *all.partial);
}

std::variant<Job, Result> WorkOnJob::next(std::span<const std::string> parts) const {
  const Part all = merged(parts);
  if (all.rows != job_.facts_.rows) {
    throw Error(
        ErrorKind::data,
        "the parts hold " + std::to_string(all.rows) + " rows, the data have " + std::to_string(job_.facts_.rows),
        "every row must be in exactly one part");
  }
  Job job = job_;
  ByteSink sink;
  all.partial->save(sink);
  job.found_.push_back(sink.bytes());
  Next next = stage_->next(*all.partial);
  std::size_t answer_bytes = answer_bytes_;
  while (const auto* question = std::get_if<std::unique_ptr<Question>>(&next)) {
    Matrix answer = run_->answer(**question);
    answer_bytes += 8 * (2 + answer.rows() * answer.columns());
    // More are not kept, but it may be that only the result needs them.
    if (answer_bytes <= most_answer_bytes) job.found_.push_back(saved(answer));
    next = (*question)->next(std::move(answer));
  }
  if (auto* result = std::get_if<Result>(&next)) {
    run_->finish(*result);
    return std::move(*result);
  }
  if (answer_bytes > most_answer_bytes) {
    throw Error(ErrorKind::usage,
                "the model's answers that the next pass needs are more than the " +
                    std::to_string(most_answer_bytes >> 20) + " MiB that a job carries",
                "ask about fewer rows");
  }
  return job;
}

}  // namespace sightglass
