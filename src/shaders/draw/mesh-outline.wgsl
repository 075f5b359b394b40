// Draws the intersection of a mesh and a slice as lines over the slice.
//
// Each instance is a triangle. If the slice cuts it, its four vertices are the corners of a line between the two cut edges; otherwise
// they coincide and cover no pixel.
//
// Draw: a strip of 4 vertices, one instance for each triangle. Blended over the slice (premultiplied).

struct Outline {
  /// Maps positions to pixels of the canvas (x and y), and to the distance from the slice (z), in any unit.
  to_canvas: mat4x4f,
  /// Premultiplied.
  color: vec4f,
  /// Size of the canvas in pixels.
  size: vec2f,
  /// The lines' thickness in pixels.
  thickness: f32,
}
@group(0) @binding(0) var<uniform> outline: Outline;
/// x, y and z of each corner of the mesh.
@group(0) @binding(1) var<storage, read> positions: array<f32>;
/// Three corner numbers for each triangle.
@group(0) @binding(2) var<storage, read> triangles: array<u32>;

fn on_canvas(corner: u32) -> vec3f {
  let first = 3u * corner;
  let position = vec3f(positions[first], positions[first + 1u], positions[first + 2u]);
  return (outline.to_canvas * vec4f(position, 1.0)).xyz;
}

/// The intersection of the slice with an edge that crosses it. Both triangles that share the edge get the same point.
fn cut(a: vec3f, b: vec3f) -> vec2f {
  let above = select(b, a, a.z >= 0.0);
  let below = select(a, b, a.z >= 0.0);
  return mix(above.xy, below.xy, above.z / (above.z - below.z));
}

@vertex
fn vertex(@builtin(vertex_index) number: u32, @builtin(instance_index) triangle: u32) -> @builtin(position) vec4f {
  let a = on_canvas(triangles[3u * triangle]);
  let b = on_canvas(triangles[3u * triangle + 1u]);
  let c = on_canvas(triangles[3u * triangle + 2u]);
  let sides = vec3<bool>(a.z >= 0.0, b.z >= 0.0, c.z >= 0.0);
  if (all(sides) || !any(sides)) {
    return vec4f(2.0, 2.0, 0.0, 1.0);
  }
  // Lines run between the two edges at the corner that is alone on its side of the slice.
  var start: vec2f;
  var finish: vec2f;
  if (sides.x == sides.y) {
    start = cut(c, a);
    finish = cut(c, b);
  } else if (sides.x == sides.z) {
    start = cut(b, a);
    finish = cut(b, c);
  } else {
    start = cut(a, b);
    finish = cut(a, c);
  }
  let way = finish - start;
  let along = select(vec2f(1.0, 0.0), normalize(way), length(way) > 1e-6) * 0.5 * outline.thickness;
  // Lines extend a little past their ends, so that adjacent lines have no gap.
  let end = select(start - 0.5 * along, finish + 0.5 * along, (number & 1u) == 1u);
  let pixel = end + select(-1.0, 1.0, number >= 2u) * vec2f(-along.y, along.x);
  return vec4f(vec2f(2.0, -2.0) * pixel / outline.size + vec2f(-1.0, 1.0), 0.0, 1.0);
}

@fragment
fn main() -> @location(0) vec4f {
  return outline.color;
}
