# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What fuzzers came to. To be sourced after base.sh.

# fuzz_programs DIRECTORY: programs of calls: those in the tree, and those that runs before have kept there.
fuzz_programs() {
	cat "$TOP/tests/fuzz/corpus/kernel" "$1/kept" 2>/dev/null | grep -v '^#' | sort -u || :
}

# fuzz_row TARGET EXECS FINDINGS CORPUS SECONDS: say it as a row, and add it to build/results/fuzz.json, where each
# target has one: the sums of all runs, and the corpus of the last. That is said, too. The sums go on from those of the
# target's record, so they are of several commits.
fuzz_row() {
	local row part=fuzz-$1 record file=$BUILD/results/fuzz.json

	[[ $1 != kernel-* ]] || part=kernel-fuzz-${1#kernel-}
	record=$TOP/Documentation/records/$part.json
	row=$(jq -nc --arg target "$1" --argjson execs "$2" --argjson findings "$3" --argjson corpus "$4" \
		--argjson seconds "$5" '$ARGS.named')
	echo "# row $row"
	mkdir -p "${file%/*}"
	# two lanes may end at the same time
	(
		flock -w 60 9 || exit 1
		[ -s "$file" ] || echo '{"rows": []}' >"$file"
		[ -s "$record" ] || record=/dev/null
		jq --argjson new "$row" --slurpfile record "$record" '
			(.rows | map(select(.target == $new.target))[0] // $record[0].rows[-1] //
				{execs: 0, findings: 0, seconds: 0, runs: 0}) as $old |
			.rows |= (map(select(.target != $new.target)) + [$new | .execs += $old.execs |
				.findings += $old.findings | .seconds += $old.seconds | .runs = ($old.runs // 1) + 1] | sort_by(.target))
			' "$file" >"$file.new" && mv "$file.new" "$file"
		jq -c --arg target "$1" '.rows[] | select(.target == $target)' "$file" | sed 's/^/# row /'
	) 9>>"$file.lock"
}
