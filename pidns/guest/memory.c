// What a compiler may call though there is no C library.
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void* memcpy(void* to, const void* from, size_t size) {
    void* result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return result;
}

HIDDEN void* memset(void* to, int value, size_t size) {
    void* result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
    return result;
}

HIDDEN int memcmp(const void* left, const void* right, size_t size) {
    const unsigned char* l = left;
    const unsigned char* r = right;
    for (; size > 0; --size, ++l, ++r)
        if (*l != *r) return *l < *r ? -1 : 1;
    return 0;
}
