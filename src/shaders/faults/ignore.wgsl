// In the place of raise.wgsl, for decoders that do not check: compilers leave out all that only serves a flag.

const checks = false;

fn raise(chunk: u32, is_fault: bool) {}
