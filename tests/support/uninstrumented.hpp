// For functions of a test that only compute: the sanitizers do not look at what they do, which makes loops over bytes
// ten times as fast.
//
// Memory that the library reads or writes is to be touched by others alone, by memcpy and memcmp of what such a
// function has computed: there a sanitizer sees the whole range at once.
#pragma once

#define FMPL_TEST_UNINSTRUMENTED [[gnu::no_sanitize("address", "thread", "undefined")]]
