// SPDX-License-Identifier: MIT
/*
 * xs-model: an inference server as the GPU sees it. An ordinary process with
 * a user queue: it knows nothing of priorities or of a scheduler, unless it is
 * told to, to be compared with one that does not.
 */
#include <string.h>

#include "model.h"
#include "model_queue.h"

int main(int argc, char **argv)
{
	struct model_queue queue = MODEL_QUEUE_DEFAULTS;
	int used = model_queue_options(argc - 1, argv + 1, &queue);

	if (used < 0) {
		model_queue_usage(stderr);
		return 2;
	}
	if (argc == 2 && !strcmp(argv[1], "--help"))
		model_queue_usage(stdout);
	model_kfdq_use(&queue);
	argv[used] = argv[0];
	return model_command(argc - used, argv + used, &model_kfdq);
}
