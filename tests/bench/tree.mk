# A build like many: a small tree of C, each file compiled by itself, then linked.
#
#     bench_monitor --modes host,kernel,flat --rounds 15 -- make -B -s -j2 -f tests/bench/tree.mk OUT=/tmp/out
here := $(dir $(lastword $(MAKEFILE_LIST)))
sources := $(wildcard $(here)../conformance/*.c)
objects := $(patsubst %.c,$(OUT)/%.o,$(notdir $(sources)))

$(OUT)/conformance: $(objects)
	$(CC) -pthread -o $@ $^

$(OUT)/%.o: $(here)../conformance/%.c
	@mkdir -p $(OUT)
	$(CC) -std=gnu11 -O1 -pthread -c -o $@ $<
