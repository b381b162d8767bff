/* SPDX-License-Identifier: MIT */
/*
 * Why a process is not parked, as xschedctl and xschedd show it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef RESIDENT_JSON_H
#define RESIDENT_JSON_H

#include <stdint.h>

#include <json-c/json.h>
#include <libxsched.h>

/**
 * resident_json() - the reasons, in words
 * @resident: bits KFD_XSCHED_RESIDENT_*
 *
 * Return: a new array of strings.
 */
static inline struct json_object *resident_json(uint32_t resident)
{
	struct json_object *why = json_object_new_array();
	const char *name;

	for (unsigned int i = 0; (name = xsched_resident_name(i)); i++)
		if (resident & 1u << i)
			json_object_array_add(why, json_object_new_string(name));
	return why;
}

#endif
