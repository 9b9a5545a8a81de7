/* Spins: spin N does N times the same thousand steps, none of which depends on anything but the one before.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const long count = argc == 2 ? atol(argv[1]) : 0;
    if (count <= 0) return 2;
    volatile unsigned long state = 1;
    for (long i = 0; i < count * 1000; ++i) state = state * 6364136223846793005UL + 1442695040888963407UL;
    printf("spin: %ld thousand steps, state %lu\n", count, state);
    return 0;
}
