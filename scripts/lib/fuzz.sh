# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What fuzzers came to. To be sourced after base.sh.

# fuzz_row TARGET EXECS FINDINGS CORPUS SECONDS: say it as a row, and add it to build/results/fuzz.json, where each
# target has one: the sums of all runs, and the corpus of the last.
fuzz_row() {
	local row file=$BUILD/results/fuzz.json

	row=$(jq -nc --arg target "$1" --argjson execs "$2" --argjson findings "$3" --argjson corpus "$4" \
		--argjson seconds "$5" '$ARGS.named')
	echo "# row $row"
	mkdir -p "${file%/*}"
	# two lanes may end at the same time
	(
		flock -w 60 9 || exit 1
		[ -s "$file" ] || echo '{"rows": []}' >"$file"
		jq --argjson new "$row" '
			(.rows | map(select(.target == $new.target))[0] // {execs: 0, findings: 0, seconds: 0, runs: 0}) as $old |
			.rows |= (map(select(.target != $new.target)) + [$new | .execs += $old.execs |
				.findings += $old.findings | .seconds += $old.seconds | .runs = $old.runs + 1] | sort_by(.target))
			' "$file" >"$file.new" && mv "$file.new" "$file"
	) 9>>"$file.lock"
}
