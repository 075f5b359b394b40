// A brick in workgroup memory, of whose words several invocations write parts, or read while another part is written. No
// entry point: kernels.ts puts it in front of the others, behind brick.wgsl, in memory.wgsl's stead.

var<workgroup> wg_words: array<atomic<u32>, memory_words>;

fn load_word(word: u32) -> u32 { return atomicLoad(&wg_words[word]); }
fn store_word(word: u32, value: u32) { atomicStore(&wg_words[word], value); }
