#include <algorithm>
#include <cmath>

#include "sightglass/insight/findings/course_internal.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/shading.h"
#include "sightglass/result/curve_shape.h"

namespace sightglass::finders {

std::vector<std::size_t> trusted_points(const Curve& curve) {
  const auto doubts = doubts_of(curve);
  std::vector<std::size_t> trusted;
  for (std::size_t i = 0; i < std::min(curve.mean.size(), doubts.size()); ++i) {
    const bool place = curve.axis.is_categorical() || std::isfinite(curve.axis.numbers[i]);
    const bool empty = i < curve.count.size() && !(curve.count[i] > 0);
    if (place && !empty && std::isfinite(curve.mean[i]) && !doubts[i].any()) trusted.push_back(i);
  }
  return trusted;
}

bool trusted_enough(const Curve& curve, const std::vector<std::size_t>& trusted) {
  if (trusted.size() < 2) return false;
  if (curve.count.size() != curve.mean.size()) return 2 * trusted.size() >= curve.mean.size();
  double all = 0, good = 0;
  for (const double count : curve.count) all += std::isfinite(count) ? count : 0;
  for (const auto i : trusted) good += std::isfinite(curve.count[i]) ? curve.count[i] : 0;
  return good >= least_trusted_rows * all;
}

double trusted_range(const Curve& curve) {
  const auto trusted = trusted_points(curve);
  if (!trusted_enough(curve, trusted)) return 0;
  std::vector<double> heights;
  for (const auto i : trusted) heights.push_back(curve.mean[i]);
  const double range = range_of(heights);
  return std::isfinite(range) ? range : 0;
}

double uncertainty(const Curve& curve, std::size_t a, std::size_t b) {
  if (curve.se_shape.size() != curve.mean.size()) return 0;
  const double se = std::hypot(curve.se_shape[a], curve.se_shape[b]);
  return std::isnan(se) ? 0 : interval_width * se;
}

namespace {

class Telling {
 public:
  Telling(const Curve& curve, Course& course) : curve_(curve), course_(course) {}

  // Whether there is anything to tell.
  bool tell() {
    find_range();
    const auto& trusted = course_.trusted;
    if (!std::isfinite(course_.range) || !(course_.range > noise()) ||
        !(course_.range > uncertainty(curve_, course_.low, course_.high)))
      return false;
    if (!(x(trusted.back()) > x(trusted.front()))) return false;
    if (!find_way()) return false;
    if (course_.vertices.size() == 2) {
      find_step();
      find_line();
    }
    look_beyond();
    return true;
  }

 private:
  bool find_way() {
    for (const double turn : {least_turn, least_large_turn, least_turn}) {
      course_.turn = turn;
      course_.vertices.clear();
      course_.pieces.clear();
      find_vertices();
      if (course_.vertices.size() < 2) return false;
      find_pieces();
      // On the whole: one way, or one turn.
      if (course_.pieces.size() <= most_pieces && (turn == least_turn || course_.vertices.size() <= 3)) break;
    }
    return true;
  }

  [[nodiscard]] double x(std::size_t i) const { return curve_.axis.numbers[i]; }
  [[nodiscard]] double y(std::size_t i) const { return curve_.mean[i]; }
  // Sums of many predictions differ in their last bits where they should be equal.
  [[nodiscard]] double noise() const { return 1e-9 * std::max(std::abs(y(course_.low)), std::abs(y(course_.high))); }
  [[nodiscard]] double width() const { return x(course_.trusted.back()) - x(course_.trusted.front()); }

  void find_range() {
    course_.low = course_.high = course_.trusted.front();
    for (const auto i : course_.trusted) {
      if (y(i) < y(course_.low)) course_.low = i;
      if (y(i) > y(course_.high)) course_.high = i;
    }
    course_.range = y(course_.high) - y(course_.low);
  }

  [[nodiscard]] bool moved(std::size_t from, std::size_t to) const {
    const double distance = std::abs(y(to) - y(from));
    return distance >= course_.turn * course_.range && distance > uncertainty(curve_, from, to);
  }

  // Extremes that are followed by a move back that counts; the first and the last of them end the curve's moves.
  void find_vertices() {
    std::size_t low = course_.trusted.front(), high = low, extreme = low;
    int direction = 0;
    for (const auto i : course_.trusted) {
      if (direction == 0) {
        if (y(i) < y(low)) low = i;
        if (y(i) > y(high)) high = i;
        if (y(i) > y(low) && moved(low, i)) {
          direction = 1;
          course_.vertices.push_back(low);
        } else if (y(i) < y(high) && moved(high, i)) {
          direction = -1;
          course_.vertices.push_back(high);
        }
        extreme = i;
      } else if (direction > 0 ? y(i) > y(extreme) : y(i) < y(extreme)) {
        extreme = i;
      } else if (moved(extreme, i)) {
        course_.vertices.push_back(extreme);
        direction = -direction;
        extreme = i;
      }
    }
    if (direction == 0) return;
    course_.vertices.push_back(extreme);
    if (course_.turn != least_turn) return;
    const auto& trusted = course_.trusted;
    if (goes_on(course_.vertices.back(), trusted.back())) course_.vertices.push_back(trusted.back());
    if (goes_on(course_.vertices.front(), trusted.front()))
      course_.vertices.insert(course_.vertices.begin(), trusted.front());
  }

  // Whether the move from the last (or first) vertex to that end counts because the points beyond go on with it.
  [[nodiscard]] bool goes_on(std::size_t vertex, std::size_t end) const {
    const double distance = y(end) - y(vertex);
    if (std::abs(distance) < least_turn_at_end * course_.range) return false;
    if (!(std::abs(distance) > uncertainty(curve_, vertex, end))) return false;
    const std::size_t beyond = end == course_.trusted.front() ? 0 : curve_.mean.size() - 1;
    return beyond != end && std::isfinite(y(beyond)) && (distance > 0 ? y(beyond) > y(end) : y(beyond) < y(end));
  }

  // The points around a vertex that stay level with it, up to the neighbouring vertices.
  [[nodiscard]] Piece level_at(std::size_t k) const {
    const auto& trusted = course_.trusted;
    const std::size_t vertex = course_.vertices[k];
    const auto place = std::lower_bound(trusted.begin(), trusted.end(), vertex);
    const auto same = [&](std::size_t i) { return std::abs(y(i) - y(vertex)) <= level_share * course_.range; };
    auto first = place, last = place;
    while (first != trusted.begin() && same(*std::prev(first))) --first;
    while (std::next(last) != trusted.end() && same(*std::next(last))) ++last;
    // A curve that leaves its own end and comes back is not level there.
    if (k == 0 && first != trusted.begin()) return {Move::level, vertex, vertex};
    if (k + 1 == course_.vertices.size() && std::next(last) != trusted.end()) return {Move::level, vertex, vertex};
    return {Move::level, *first, *last};
  }

  [[nodiscard]] bool long_enough(const Piece& piece) const {
    if (!(x(piece.to) - x(piece.from) >= least_level_width * width())) return false;
    const auto inside = [&](std::size_t i) { return i >= piece.from && i <= piece.to; };
    if (static_cast<std::size_t>(std::count_if(course_.trusted.begin(), course_.trusted.end(), inside)) <
        least_level_points)
      return false;
    if (curve_.count.size() != curve_.mean.size()) return true;
    double all = 0, here = 0;
    for (const auto i : course_.trusted) {
      all += curve_.count[i];
      if (inside(i)) here += curve_.count[i];
    }
    return here >= least_level_rows * all;
  }

  // The longest level stretch on the way between two points, if it is long enough and neither end is near.
  [[nodiscard]] std::optional<Piece> rest_between(std::size_t from, std::size_t to) const {
    std::optional<Piece> longest;
    const auto apart = [&](std::size_t a, std::size_t b) {
      return std::abs(y(a) - y(b)) >= 3 * level_share * course_.range;
    };
    const auto& trusted = course_.trusted;
    const auto end = std::upper_bound(trusted.begin(), trusted.end(), to);
    for (auto first = std::lower_bound(trusted.begin(), trusted.end(), from); first != end; ++first) {
      double low = y(*first), high = low;
      for (auto last = first; last != end; ++last) {
        low = std::min(low, y(*last));
        high = std::max(high, y(*last));
        if (high - low > level_share * course_.range) break;
        const Piece piece{Move::level, *first, *last};
        const bool longer = !longest || x(piece.to) - x(piece.from) > x(longest->to) - x(longest->from);
        if (longer && long_enough(piece) && apart(from, piece.from) && apart(piece.to, to)) longest = piece;
      }
    }
    return longest;
  }

  void find_pieces() {
    const auto& vertices = course_.vertices;
    const auto& trusted = course_.trusted;
    std::vector<Piece> levels;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      Piece level = level_at(k);
      // Small moves are within reach of both their ends.
      const auto small = [&](std::size_t a, std::size_t b) {
        return std::abs(y(vertices[a]) - y(vertices[b])) < 3 * level_share * course_.range;
      };
      if ((k > 0 && small(k - 1, k)) || (k + 1 < vertices.size() && small(k, k + 1))) {
        level = {Move::level, vertices[k], vertices[k]};
      }
      levels.push_back(level);
    }
    std::size_t at = trusted.front();
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      const bool level = long_enough(levels[k]);
      if (k > 0) {
        const std::size_t end = level ? levels[k].from : k + 1 == vertices.size() ? trusted.back() : vertices[k];
        const Move move = y(vertices[k]) > y(vertices[k - 1]) ? Move::up : Move::down;
        if (const auto rest = rest_between(at, end)) {
          course_.pieces.push_back({move, at, rest->from});
          course_.pieces.push_back(*rest);
          at = rest->to;
        }
        course_.pieces.push_back({move, at, end});
        at = end;
      }
      if (level) {
        course_.pieces.push_back({Move::level, at, levels[k].to});
        at = levels[k].to;
      }
    }
  }

  // The narrowest stretch that makes most of the way.
  void find_step() {
    const auto& trusted = course_.trusted;
    if (trusted.size() < least_points_for_step) return;
    const double sign = y(course_.vertices[1]) > y(course_.vertices[0]) ? 1 : -1;
    double narrowest = step_width * width();
    for (std::size_t a = 0; a < trusted.size(); ++a) {
      for (std::size_t b = a + 1; b < trusted.size() && x(trusted[b]) - x(trusted[a]) <= narrowest; ++b) {
        if (sign * (y(trusted[b]) - y(trusted[a])) < step_share * course_.range) continue;
        if (course_.step && x(trusted[b]) - x(trusted[a]) >= narrowest) break;
        course_.step = {trusted[a], trusted[b]};
        narrowest = x(trusted[b]) - x(trusted[a]);
        break;
      }
    }
  }

  void find_line() {
    if (course_.trusted.size() < least_points_for_line) return;
    std::vector<double> grid, mean;
    for (const auto i : course_.trusted) {
      grid.push_back(x(i));
      mean.push_back(y(i));
    }
    course_.even = !course_.step && shape_of(grid, mean) == CurveShape::linear;
  }

  // Whether points that cannot be trusted lie on the way as told: between neighbours, or further along at the ends.
  void look_beyond() {
    const auto& trusted = course_.trusted;
    const double slack = course_.turn * course_.range;
    for (std::size_t i = 0; i < curve_.mean.size(); ++i) {
      if (std::binary_search(trusted.begin(), trusted.end(), i)) continue;
      if (!std::isfinite(y(i)) || !std::isfinite(x(i))) {
        course_.everywhere = false;
        return;
      }
      if (y(i) > y(course_.high) + slack || y(i) < y(course_.low) - slack) course_.range_everywhere = false;
      const auto after = std::lower_bound(trusted.begin(), trusted.end(), i);
      if (after == trusted.begin() || after == trusted.end()) {
        const bool start = after == trusted.begin();
        const Piece& end = start ? course_.pieces.front() : course_.pieces.back();
        const double outward = y(i) - y(start ? trusted.front() : trusted.back());
        const double along = (end.move == Move::up) == start ? -outward : outward;
        if (end.move == Move::level ? std::abs(outward) > slack : along < -slack) course_.everywhere = false;
      } else {
        const double a = y(*after), b = y(*std::prev(after));
        if (y(i) > std::max(a, b) + slack || y(i) < std::min(a, b) - slack) course_.everywhere = false;
      }
    }
  }

  const Curve& curve_;
  Course& course_;
};

}  // namespace

std::optional<Course> course_of(const Curve& curve) {
  if (curve.axis.is_categorical()) return std::nullopt;
  Course course;
  course.trusted = trusted_points(curve);
  if (!trusted_enough(curve, course.trusted) || !Telling(curve, course).tell()) return std::nullopt;
  return course;
}

}  // namespace sightglass::finders
