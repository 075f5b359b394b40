// In the place of check.wgsl, for decoders that do not check. No entry point: kernels.ts puts it in front of decode.wgsl.

fn raise_for(brick: u32, is_fault: bool) {}
fn filling_fails(bit: u32, suffixes_bit: u32) -> bool { return false; }
fn quotients_fail(quotients: u32, count: u32, width: u32, has_escapes: bool) -> bool { return false; }
