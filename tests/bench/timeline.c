// SPDX-License-Identifier: MIT
/*
 * The picture: both queues over time, one panel a mode. Bars are dispatches,
 * from their first wave to their last; hatched is the time the scheduler held
 * the low-priority queue; triangles are arrivals of requests, and the line
 * after each lasts until its answer.
 */
#include <stdio.h>

#include "report.h"

#define HI_LOW		1.10	/* vertical extent of a lane's bars */
#define HI_HIGH		1.55
#define LO_LOW		0.25
#define LO_HIGH		0.70
#define REQUEST_AT	1.75	/* height of the first of the request lines */
#define REQUEST_STEP	0.09
#define REQUEST_LINES	4
#define VISIBLE_NS	100000	/* a quarter of a millimetre */

static double ms(uint64_t t, uint64_t from)
{
	return ((double)t - (double)from) / 1e6;
}

/* gnuplot needs a row: one outside the picture stands for none. */
static void end_block(FILE *f, int columns)
{
	while (columns--)
		fputs("-1000 ", f);
	fputs("\nEOD\n", f);
}

/* Dispatches too short to be distinguished become one bar. */
static void bars(FILE *f, const char *name, const char *mode, const struct raw_model *m,
		 double low, double high)
{
	const struct raw_dispatch *d = m->dispatches, *end = d + m->dispatch_count;
	uint64_t from, to;

	fprintf(f, "$%s_%s << EOD\n", name, mode);
	while (d < end) {
		from = d->start;
		to = d++->end;
		while (d < end && d->end - d->start < VISIBLE_NS * 4 && d->start - to < VISIBLE_NS)
			to = d++->end;
		fprintf(f, "%.3f %.2f %.3f %.3f %.2f %.2f\n", ms(from, m->window_from), low,
			ms(from, m->window_from), ms(to, m->window_from), low, high);
	}
	end_block(f, 6);
}

/* From the end of a switch that held to the end of the one that released. */
static void holds(FILE *f, const struct raw_mode *mode)
{
	const struct raw_model *m = &mode->hi;
	const struct raw_switch *s, *held = NULL;
	size_t i;

	fprintf(f, "$hold_%s << EOD\n", mode->name);
	for (i = 0; i < mode->switch_count; i++) {
		s = &mode->switches[i];
		if (s->held && !held) {
			held = s;
		} else if (!s->held && held) {
			if (s->end > m->window_from && held->end < m->window_to)
				fprintf(f, "%.4f %.2f %.4f %.4f %.2f %.2f\n",
					ms(held->end, m->window_from), LO_LOW,
					ms(held->end, m->window_from), ms(s->end, m->window_from),
					LO_LOW - 0.08, LO_HIGH + 0.08);
			held = NULL;
		}
	}
	end_block(f, 6);
}

/* Arrivals, and how long each request took; several may be under way. */
static void requests(FILE *f, const struct raw_mode *mode)
{
	const struct raw_model *m = &mode->hi;
	const struct raw_request *r;
	size_t i;

	fprintf(f, "$request_%s << EOD\n", mode->name);
	for (i = 0; i < m->count; i++) {
		r = &m->requests[i];
		if (r->done < m->window_from || r->arrival > m->window_to)
			continue;
		fprintf(f, "%.4f %.3f %.4f 0\n", ms(r->arrival, m->window_from),
			REQUEST_AT + REQUEST_STEP * (double)(i % REQUEST_LINES),
			ms(r->done, r->arrival));
	}
	end_block(f, 4);
}

static void panel(FILE *f, const struct raw_mode *mode, const struct stats_mode *figures,
		  const char *title)
{
	const char *n = mode->name;

	bars(f, "hi", n, &mode->hi, HI_LOW, HI_HIGH);
	bars(f, "lo", n, &mode->lo, LO_LOW, LO_HIGH);
	holds(f, mode);
	requests(f, mode);
	fprintf(f, "set label 1 \"%s\" at graph 0,1.07 left font ',16'\n", title);
	fprintf(f, "set label 2 \"high: P50 %.1f ms, P95 %.1f     low: %.2f iterations/s\" "
		"at graph 1,1.07 right font ',16'\n", figures->hi_ms.p50, figures->hi_ms.p95, figures->lo_iter_s);
	/* The key is the same for all: it stands above the first panel. */
	fprintf(f, "plot $lo_%s w boxxyerror fc rgb '#e8a33d' fs solid 1 border lc rgb '#8a5a10' t "
		"'low: dispatch', \\\n"
		" $hold_%s w boxxyerror fc rgb '#ffffff' fs solid 0.9 noborder notitle, \\\n"
		" $hold_%s w boxxyerror fc rgb '#b03030' fs pattern 4 border lc rgb '#b03030' t "
		"'low: held', \\\n"
		" $hi_%s w boxxyerror fc rgb '#1f5fa8' fs solid 1 border lc rgb '#1f5fa8' t "
		"'high: dispatch', \\\n"
		" $request_%s u 1:2:3:4 w vectors nohead lw 3 lc rgb '#58a068' t "
		"'arrival to answer', \\\n"
		" $request_%s u 1:2 w p pt 11 ps 0.9 lc rgb '#1c5c2c' t 'high: arrival'\n",
		n, n, n, n, n, n);
	fprintf(f, "unset key\n");
}

static void header(FILE *f, const char *path, double length)
{
	fprintf(f, "set terminal svg size 1280,820 font 'DejaVu Sans,14' background '#ffffff'\n"
		"set output '%s'\n"
		"set multiplot layout 3,1 margins 0.085,0.975,0.06,0.885 spacing 0,0.095\n"
		"set xrange [0:%.4f]\nset yrange [0:2.2]\n"
		"set ytics ('low' %.3f, 'high' %.3f, 'requests' %.3f) scale 0\n"
		"set xtics out nomirror\nset format x '%%g ms'\nset grid xtics lc rgb '#d8d8d8'\nset border 1\n"
		"set key at screen 0.985,0.985 right top horizontal maxrows 1 samplen 1.5 width -1\n",
		path, length, (LO_LOW + LO_HIGH) / 2, (HI_LOW + HI_HIGH) / 2,
		REQUEST_AT + REQUEST_STEP * (REQUEST_LINES - 1) / 2.0);
}

bool timeline_draw(const struct report *report, const char *path)
{
	const struct raw *raw = &report->raw;
	const struct stats *stats = &report->stats;
	const struct raw_model *m = &raw->modes[RAW_HPF].hi;
	FILE *f = popen("gnuplot", "we");

	if (!f) {
		perror("xs-report: gnuplot");
		return false;
	}
	header(f, path, ms(m->window_to, m->window_from));
	panel(f, &raw->modes[RAW_ALONE], &stats->modes[RAW_ALONE],
	      "alone (two runs, one above the other)");
	panel(f, &raw->modes[RAW_NATIVE], &stats->modes[RAW_NATIVE],
	      "native: together, without a scheduler");
	panel(f, &raw->modes[RAW_HPF], &stats->modes[RAW_HPF],
	      "hpf: together, under kfd-xsched");
	fprintf(f, "unset multiplot\n");
	if (pclose(f)) {
		fprintf(stderr, "xs-report: gnuplot failed\n");
		return false;
	}
	return true;
}
