/* SPDX-License-Identifier: MIT */
/* The software GPUs on their bus. */
#ifndef PCI_H
#define PCI_H

#define PCI_DRIVER	"/sys/bus/pci/drivers/vgpu/"

/* How many there are. Without one it is the test's end. */
unsigned int pci_count(void);

/* The name of the last GPU, which tests remove and divide. Without one it is the test's end. */
const char *pci_last(void);

#endif /* PCI_H */
