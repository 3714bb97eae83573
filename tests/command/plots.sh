#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The plots in docs/results are those of the results beside them.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

RESULTS=$TOP/docs/results

succeeds "digest-plot" "$TOP/bench/digest-plot" "$RESULTS/digest.txt" .
for plot in digest-sizes digest-peers; do
    same "$plot.svg is up to date: if not, run bench/digest-plot" "$plot.svg" "$RESULTS/$plot.svg"
done
if command -v xmllint >/dev/null; then
    succeeds "they are XML" xmllint --noout digest-sizes.svg digest-peers.svg
else
    skip_part "well-formed plots: no xmllint"
fi

# The control: other results make other plots.
mkdir other
sed 's/| 1048576 | [0-9]/| 1048576 | 9/; s/^| openssl | 0/| openssl | 9/; s/| [0-9]* | 0\.[0-9]* |$/| 7 | 0.5 |/' "$RESULTS/digest.txt" >other.txt
succeeds "digest-plot of other results" "$TOP/bench/digest-plot" other.txt other
for plot in digest-sizes digest-peers; do
    if cmp -s "$plot.svg" "other/$plot.svg"; then fail "$plot.svg does not see the results"; else ok; fi
done

# Without tables nothing is drawn over what is there.
cp digest-sizes.svg before.svg
echo "no table" >none.txt
refuses "digest-plot of nothing" "none.txt: no table for digest-sizes.svg" "$TOP/bench/digest-plot" none.txt .
same "the old plot" digest-sizes.svg before.svg
is "nothing is left" "$(find . -name '*.new')" ""
finish
