// How a decoder reacts to a payload that breaks its codec's SPEC.md. With `checks` it raises the chunk's flag and decodes on;
// without, compilers remove all code that only serves a flag. docs/FORMAT.md, 'Sound payloads', says what a decoder must refuse.

@if(checks) import constants::fault_binding;

@if(checks) const checks = true;
@else const checks = false;

// One word per chunk of the batch, 0 before the dispatch. Invocations write only 1, so their order does not matter.
@if(checks) @group(0) @binding(fault_binding) var<storage, read_write> faults: array<atomic<u32>>;

@if(checks)
fn raise(chunk: u32, is_fault: bool) {
  if (is_fault) { atomicStore(&faults[chunk], 1u); }
}
@else fn raise(chunk: u32, is_fault: bool) {}
