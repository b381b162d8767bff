// SPDX-License-Identifier: MIT
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "pci.h"
#include "tap.h"

static void find_all(glob_t *found)
{
	if (glob(PCI_DRIVER "0000:*", 0, NULL, found))
		tap_bail("there is no GPU");
}

unsigned int pci_count(void)
{
	unsigned int count;
	glob_t found;

	find_all(&found);
	count = (unsigned int)found.gl_pathc;
	globfree(&found);
	return count;
}

const char *pci_last(void)
{
	static char name[32];
	glob_t found;

	find_all(&found);
	snprintf(name, sizeof(name), "%s", found.gl_pathv[found.gl_pathc - 1] + strlen(PCI_DRIVER));
	globfree(&found);
	return name;
}
