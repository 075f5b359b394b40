// Rays through boxes whose sides are parallel to the axes.

/// Where a ray enters and leaves a box.
fn ray_through(origin: vec3f, toward: vec3f, low: vec3f, high: vec3f) -> vec2f {
  let nearest = ray_nearest_sides(origin, toward, low, high);
  let safe = ray_safe(toward);
  let farthest = max((low - origin) / safe, (high - origin) / safe);
  return vec2f(max(nearest.x, max(nearest.y, nearest.z)), min(farthest.x, min(farthest.y, farthest.z)));
}

/// Where a ray enters the space between each pair of opposite sides of a box.
fn ray_nearest_sides(origin: vec3f, toward: vec3f, low: vec3f, high: vec3f) -> vec3f {
  let safe = ray_safe(toward);
  return min((low - origin) / safe, (high - origin) / safe);
}

fn ray_safe(toward: vec3f) -> vec3f {
  return select(toward, vec3f(1e-7), abs(toward) < vec3f(1e-7));
}

/// The first axis that is set, as a direction.
fn ray_first_axis(is_axis: vec3<bool>) -> vec3f {
  return select(select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), is_axis.y), vec3f(1.0, 0.0, 0.0), is_axis.x);
}
