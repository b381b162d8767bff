/* SPDX-License-Identifier: MIT */
/* The evidence, as text: see tests/vgpu/evidence/README.rst. */
	.section .rodata
	.global evidence_mqd, evidence_hqd
evidence_mqd:
	.incbin "mi308x-mqd.txt"
	.byte 0
evidence_hqd:
	.incbin "mi308x-hqd.txt"
	.byte 0
	.section .note.GNU-stack, "", @progbits
