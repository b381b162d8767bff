# SPDX-License-Identifier: MIT
# What suites with programs of their own have in common; the last line of their Makefile includes it. That sets OBJ,
# XCFLAGS, TESTS, and MORE: what run-tap is to run besides.

$(OBJ)/lib/%.o: ../lib/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(XCFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(XCFLAGS) -DXSCHED_UNIT_NAME='"$*"' -MMD -MP -c -o $@ $<

check:
	@$(MAKE) --no-print-directory -s all >&2
	@../lib/run-tap $(foreach t,$(TESTS),$(t):$(OBJ)/$(t)) $(MORE)

clean:
	rm -rf $(OBJ)

.PHONY: all check clean
.SECONDARY:
-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
