// Takes the samples of a volume along a ray of ray-stack.wgsl one by one, and combines them by the projection.

@if(paged) import package::brick_draw::paged_rays::paged_enter;
@if(layer_bricks) import package::draw::stack_layers::layer_enter;
import package::draw::rays::{no_place, ray_before_plane, ray_surface_color};
import package::draw::ray_boxes::{ray_first_axis, ray_nearest_sides};
import package::draw::stack_frame::{Passage, forwards, frame, joint, ray_origin, ray_toward, step, step_length, way};
import package::draw::stack_values::{ray_color, ray_label, ray_label_color, ray_label_light, ray_light, ray_place};

/// Whether a volume is composited together with others.
fn ray_is_joint(index: u32) -> bool {
  return (way == 2 || way == 5) && frame.volumes[index].look.z == 0.0;
}

/// Whether nothing of a volume is seen from `at` on: the ray has left it, or what lies in front hides it.
fn ray_is_over(index: u32, ray: ptr<function, Passage>, at: f32) -> bool {
  if (at >= (*ray).exit || (joint.a > 0.98 && ray_is_joint(index))) {
    (*ray).is_empty = true;
    return true;
  }
  return false;
}

/// Whether a volume is sampled at the ray parameter `at`.
fn ray_is_sampled(ray: ptr<function, Passage>, at: f32) -> bool {
  return !(*ray).is_empty && at >= (*ray).enter && at < (*ray).exit;
}

/// Takes the sample of a volume at the ray parameter `at`, unless the volume is empty there or its values are labels.
/// @param atlas the texture of its bricks; unused without the condition `layer_bricks`
fn ray_sample_image(index: u32, ray: ptr<function, Passage>, at: f32, image: texture_3d<f32>, atlas: texture_3d<f32>) {
  if (!ray_is_sampled(ray, at) || frame.volumes[index].window.w > 0.0) {
    return;
  }
  let position = (*ray).origin + (*ray).toward * at;
  let place = ray_place(index, ray, image, atlas, position);
  let below = frame.volumes[index].below.w;
  let above = frame.volumes[index].above.w;
  if (place <= -no_place || (way != 5 && ((below == 1.0 && place < -1e-4) || (above == 1.0 && place > 1.0001)))) {
    return;
  }
  let opacity = frame.volumes[index].look.y;
  switch (way) {
    case 1: {
      (*ray).extreme = max((*ray).extreme, place);
      if ((*ray).extreme > select(0.9999, 1.0001, above == 2.0)) {
        (*ray).exit = at;
      }
    }
    case 2: {
      let color = ray_color(index, place);
      if (color.a > 0.0) {
        let full = 1.0 - pow(1.0 - min(color.a, 0.9999), step_length / frame.look.x);
        let before = (*ray).sum;
        (*ray).unlit += (1.0 - before) * full;
        let is_dim = before >= 0.9 || (joint.a >= 0.9 && ray_is_joint(index));
        if (frame.look.z > 0.5 && !is_dim && (*ray).unlit > frame.look.w) {
          (*ray).light = ray_light(index, ray, image, atlas, position, 0.12);
          (*ray).unlit = 0.0;
        }
        // With this alpha, the volume alone covers `opacity` times as much as it would at full opacity.
        let alpha = opacity * (1.0 - before) * full / (1.0 - opacity * before);
        (*ray).sum = before + (1.0 - before) * full;
        ray_put(index, ray, at, min(color.rgb * (*ray).light.x + vec3f((*ray).light.y), vec3f(1.0)), alpha);
        if ((*ray).sum > 0.98) {
          (*ray).exit = at;
        }
      }
    }
    case 3: {
      (*ray).extreme = min((*ray).extreme, place);
      if ((*ray).extreme < select(1e-4, -1e-4, below == 2.0)) {
        (*ray).exit = at;
      }
    }
    case 4: {
      (*ray).sum += step_length * clamp(place, 0.0, 1.0);
      (*ray).passed += step_length;
    }
    case 5: {
      let level = frame.volumes[index].look.x;
      if (place < level) {
        (*ray).number = 0;
      } else if ((*ray).number == 0) {
        (*ray).number = 1;
        var outside = max((*ray).enter, at - step);
        var inside = at;
        for (var halving = 0; halving < 6; halving++) {
          // The first round takes the whole step: where the ray enters above the level, there is nothing to bisect.
          let middle = select(0.5 * (outside + inside), outside, halving == 0);
          if (ray_place(index, ray, image, atlas, (*ray).origin + (*ray).toward * middle) >= level) {
            inside = middle;
          } else {
            outside = middle;
          }
        }
        let hit = (*ray).origin + (*ray).toward * inside;
        ray_visit_brick(index, ray, hit, inside, at, atlas);
        if (inside == (*ray).enter) {
          // A cut shows the values themselves.
          ray_put(index, ray, at, ray_color(index, ray_place(index, ray, image, atlas, hit)).rgb * ray_cut_light(index, ray), opacity);
        } else {
          let light = ray_light(index, ray, image, atlas, hit, 1e-3);
          let rgb = ray_surface_color(ray_color(index, level).rgb);
          ray_put(index, ray, at, min(rgb * light.x * 0.72 + vec3f(light.y), vec3f(1.0)), opacity);
        }
      }
    }
    default: {
      let shown = clamp(place, 0.0, 1.0);
      (*ray).extreme = max((*ray).extreme, shown * exp(-frame.look.y * (*ray).sum));
      (*ray).sum += shown * step_length;
      // Nothing further behind can be brighter.
      if (exp(-frame.look.y * (*ray).sum) <= (*ray).extreme) {
        (*ray).exit = at;
      }
    }
  }
}

/// As `ray_sample_image`, if the values of the volume are labels.
fn ray_sample_label(index: u32, ray: ptr<function, Passage>, at: f32, image: texture_3d<f32>, atlas: texture_3d<f32>) {
  if (!ray_is_sampled(ray, at) || frame.volumes[index].window.w == 0.0) {
    return;
  }
  let label = ray_label(index, ray, image, atlas, (*ray).origin + (*ray).toward * at);
  let before = (*ray).number;
  (*ray).number = label;
  if (label == before || label == 0) {
    return;
  }
  let color = ray_label_color(index, label);
  if (color.a <= 0.0) {
    return;
  }
  var outside = max((*ray).enter, at - step);
  var inside = at;
  for (var halving = 0; halving < 6; halving++) {
    let middle = select(0.5 * (outside + inside), outside, halving == 0);
    if (ray_label(index, ray, image, atlas, (*ray).origin + (*ray).toward * middle) == label) {
      inside = middle;
    } else {
      outside = middle;
    }
  }
  var light = vec2f(1.25, 0.0);
  if (inside == (*ray).enter) {
    light.x = 1.25 * ray_cut_light(index, ray);
  } else if (way != 2 || frame.look.z > 0.5) {
    let hit = (*ray).origin + (*ray).toward * inside;
    ray_visit_brick(index, ray, hit, inside, at, atlas);
    light = ray_label_light(index, ray, image, atlas, hit, select(label, 0, before == 0));
  }
  ray_put(index, ray, at, min(color.rgb * light.x * 0.8 + vec3f(light.y), vec3f(1.0)), color.a * frame.volumes[index].look.y);
}

/// Chooses the brick of a surface, which may lie in front of the sample's brick. The ray enters the brick of the next sample again.
fn ray_visit_brick(index: u32, ray: ptr<function, Passage>, position: vec3f, inside: f32, at: f32, atlas: texture_3d<f32>) {
  @if(paged) if (index == 0u) {
    _ = paged_enter(clamp(position, vec3f(0.0), vec3f(1.0)), frame.eye, frame.edges);
    (*ray).leave = at;
    (*ray).leave_block = at;
  }
  @if(layer_bricks) if ((*ray).entry != 0u) {
    layer_enter(index, ray, inside, clamp(position, vec3f(0.0), vec3f(0.999999)), atlas);
    (*ray).leave = at;
  }
}

/// The brightness of the flat face through which the ray enters a volume: the volume's own side, or a clip plane.
fn ray_cut_light(index: u32, ray: ptr<function, Passage>) -> f32 {
  let own = ray_nearest_sides((*ray).origin, (*ray).toward, vec3f(0.0), frame.volumes[index].extent.xyz);
  let clip = ray_nearest_sides(ray_origin, ray_toward, frame.clip_low, frame.clip_high);
  let enter = (*ray).enter;
  var normal = vec3f(0.0);
  if (ray_before_plane(frame.clip_plane, ray_origin, ray_toward).x == enter) {
    normal = frame.clip_plane.xyz;
  } else if (any(clip == vec3f(enter))) {
    normal = ray_first_axis(clip == vec3f(enter));
  } else if (any(own == vec3f(enter))) {
    // Maps the normal from the texture's cube to the open volume's cube.
    let axis = ray_first_axis(own == vec3f(enter));
    let to_unit = frame.volumes[index].to_unit;
    normal = vec3f(dot(to_unit[0].xyz, axis), dot(to_unit[1].xyz, axis), dot(to_unit[2].xyz, axis));
  } else {
    // The eye is inside the volume.
    return 1.0;
  }
  return mix(0.75, 1.0, abs(dot(forwards, normalize(normal / frame.edges))));
}

/// Composites a colour behind the colours so far.
fn ray_put(index: u32, ray: ptr<function, Passage>, at: f32, rgb: vec3f, alpha: f32) {
  let color = alpha * vec4f(rgb, 1.0);
  if (ray_is_joint(index)) {
    joint += (1.0 - joint.a) * color;
    return;
  }
  (*ray).color += (1.0 - (*ray).color.a) * color;
  if ((*ray).color.a > 0.98) {
    (*ray).color = (*ray).color / (*ray).color.a;
    (*ray).exit = at;
  }
}
