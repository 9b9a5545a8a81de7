// What the shared library exports: what a public header declares with this. All else is hidden.
#pragma once

#define CTR_API __attribute__((visibility("default")))
