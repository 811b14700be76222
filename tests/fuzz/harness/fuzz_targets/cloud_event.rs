#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| decide_once_fuzz::cloud_event::target(data));
