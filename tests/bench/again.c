/* Executes itself COUNT times, then ends: what an exec costs, and the start and end of a program of this
 * kind.
 *
 *     cc -O1 [-static] again.c; a.out COUNT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char** words) {
    const int left = count > 1 ? atoi(words[1]) : 0;
    if (left <= 0) return 0;
    char next[16];
    snprintf(next, sizeof next, "%d", left - 1);
    execl(words[0], words[0], next, (char*)NULL);
    return 1;
}
