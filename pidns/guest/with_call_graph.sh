#!/bin/sh
# Runs gcc so that it also notes, in a file beside the object, who calls whom and what of the stack each function takes.
exec "$@" -fcallgraph-info=su
