// SPDX-License-Identifier: MIT
/*
 * xs-model: an inference server as the GPU sees it. An ordinary process with
 * a user queue: it knows nothing of priorities or of a scheduler.
 */
#include "model.h"

int main(int argc, char **argv)
{
	return model_command(argc, argv, &model_kfdq);
}
