// SPDX-License-Identifier: MIT
/*
 * Answers by HTTP.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <string.h>

#include "serve/answer.h"

void answer_json(struct http_answer *answer, unsigned int status,
		 struct json_object *object)
{
	const char *text;

	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	answer->status = status;
	answer->type = "application/json";
	answer->text = text ? strdup(text) : NULL;
	json_object_put(object);
}

void answer_error(struct http_answer *answer, unsigned int status,
		  const char *message)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "error",
			       json_object_new_string(message));
	answer_json(answer, status, object);
}
