/* What a compiler may call even in a freestanding program, and all that is there. */
#include <stddef.h>

void* memcpy(void* restrict to, const void* restrict from, size_t size) {
    for (size_t i = 0; i < size; ++i) ((volatile char*)to)[i] = ((const char*)from)[i];
    return to;
}

void* memset(void* to, int value, size_t size) {
    for (size_t i = 0; i < size; ++i) ((volatile char*)to)[i] = (char)value;
    return to;
}
