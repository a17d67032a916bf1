#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ciphertune_fuzz::gcm(data));
