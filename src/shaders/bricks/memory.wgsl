// A brick in workgroup memory. Without `shared_words`, each invocation writes its own words between two barriers. With it,
// several invocations write parts of one word, or read a word while another part of it is written.

@if(predict) import package::predict::brick::memory_words;
@else import package::rice::brick::memory_words;

@if(shared_words) var<workgroup> wg_words: array<atomic<u32>, memory_words>;
@else var<workgroup> wg_words: array<u32, memory_words>;

@if(shared_words) fn load_word(word: u32) -> u32 { return atomicLoad(&wg_words[word]); }
@else fn load_word(word: u32) -> u32 { return wg_words[word]; }

@if(shared_words) fn store_word(word: u32, value: u32) { atomicStore(&wg_words[word], value); }
@else fn store_word(word: u32, value: u32) { wg_words[word] = value; }
