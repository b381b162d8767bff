# SPDX-License-Identifier: MIT
#
# From the logs of kernels that ran KUnit to TAP: a line for each case, or for
# each parameter of it; what was said about those that failed; at the end one
# line each for "the log shows no bug" and "the run came to its end", for all of them.

function result(good, name) {
	printf "%sok %d - kunit: %s\n", good ? "" : "not ", ++count, name
	if (!good) {
		failed = 1
		for (i = 0; i < said; i++)
			print "# " line[i]
	}
	said = 0
}

function name_of(text) {
	sub(/^ *(not )?ok [0-9]+ (- )?/, "", text)
	return text
}

/^ *(not )?ok [0-9]+ .*# SKIP/ {
	result(0, "skipped: " name_of($0))
	next
}

/^1\.\.[0-9]+$/			{ planned += substr($0, 4) }
/^    # Subtest: /		{ suite = $3; said = 0; next }
/^        # Subtest: /		{ test = $3; params = 0; said = 0; next }
/^        (not )?ok [0-9]+ / {
	params++
	result(/^ *ok/, suite "." test "." name_of($0))
	next
}
/^    (not )?ok [0-9]+ / {
	if (!params)
		result(/^ *ok/, suite "." name_of($0))
	params = 0
	next
}
/^(not )?ok [0-9]+ / {
	suites++
	if (/^not/ && !failed)
		result(0, "suite " name_of($0))
	next
}

/WARNING:|BUG:|KASAN:|INFO: (possible|suspicious|task|trying)|Kernel panic|ODEBUG:|list_(add|del) corruption|stack-protector|=+\[ BUG/ {
	if (bugs < 20)
		bug[bugs] = $0
	bugs++
}
{ if (said < 200) line[said++] = $0 }

END {
	said = 0
	for (i = 0; i < bugs && i < 20; i++)
		line[said++] = bug[i]
	result(!bugs, "log.shows_no_bug")
	line[0] = "suites done: " suites + 0 ", planned: " planned + 0
	said = 1
	result(planned > 0 && suites == planned, "run.came_to_its_end")
	print "1.." count
	exit failed
}
