// SPDX-License-Identifier: MIT
/*
 * doctor: the order of the checks, and that of the daemon. Each check depends
 * on those before it, so the first problem is the one to solve first.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "finding.h"

static void check_stats(struct doctor *doctor, struct json_object *reply)
{
	double failures = get_number(reply, "failures");

	finding(doctor, "daemon", FINE, "",
		"xschedd runs with policy %s, %.0f tenants, %.0f switches",
		get_string(reply, "policy"), get_number(reply, "tenants"),
		get_number(reply, "applies"));
	if (failures)
		finding(doctor, "daemon", NOTE,
			"see its log: journalctl -u xschedd",
			"%.0f switches failed", failures);
}

void check_daemon(struct doctor *doctor)
{
	struct json_object *reply = NULL;
	int ret, fd = daemon_connect(doctor->options);

	if (fd < 0) {
		doctor->absent = true;
		finding(doctor, "daemon", PROBLEM,
			"systemctl enable --now xschedd, or see journalctl -u xschedd",
			"xschedd does not answer at %s: %s",
			doctor->options->socket, strerror(-fd));
		return;
	}
	ret = daemon_ask(fd, request_new("stats"), &reply);
	if (!ret)
		ret = daemon_error(reply);
	close(fd);
	if (ret)
		finding(doctor, "daemon", PROBLEM,
			"systemctl restart xschedd, if it does not recover",
			"xschedd does not report its state: %s", strerror(-ret));
	else
		check_stats(doctor, reply);
	json_object_put(reply);
}

static void summarise(struct doctor *doctor)
{
	struct json_object *object;

	if (!doctor->options->json) {
		printf("\n%u problem%s\n", doctor->problems,
		       doctor->problems == 1 ? "" : "s");
		return;
	}
	object = json_object_new_object();
	json_object_object_add(object, "problems",
			       json_object_new_int(doctor->problems));
	json_object_object_add(object, "findings", doctor->findings);
	print_json(object);
	json_object_put(object);
}

int command_doctor(const struct options *options, char **arguments)
{
	struct doctor doctor = { .options = options };

	(void)arguments;
	if (options->json)
		doctor.findings = json_object_new_array();
	check_kernel(&doctor);
	check_module(&doctor);
	check_device(&doctor);
	check_nodes(&doctor);
	check_queues(&doctor);
	check_daemon(&doctor);
	summarise(&doctor);
	if (!doctor.problems)
		return CTL_OK;
	return doctor.absent ? CTL_ABSENT : CTL_FAILURE;
}
