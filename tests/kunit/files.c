// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of sysfs and debugfs, as a program would use them. See files.h.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/path.h>

#include "files.h"
#include "harness.h"

#define XT_TEXT	(64 * 1024)

struct file *xt_open_in(struct kunit *test, const char *fs, const char *path, int flags)
{
	struct vfsmount *mount = kern_mount(get_fs_type(fs));
	struct path root = { .mnt = mount };
	struct file *file;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	root.dentry = mount->mnt_root;
	file = file_open_root(&root, path, flags, 0);
	kern_unmount(mount);
	return file;
}

int xt_file_read(struct file *file, char *text, size_t size)
{
	loff_t at = 0;
	const ssize_t got = kernel_read(file, text, size - 1, &at);

	if (got >= 0)
		text[got] = '\0';
	return got;
}

int xt_file_write(struct file *file, const char *text)
{
	const size_t size = strlen(text);
	loff_t at = 0;
	const ssize_t written = kernel_write(file, text, size, &at);

	return written < 0 ? written : written == size ? 0 : -EIO;
}

const char *xt_sysfs_read(struct kunit *test, const char *path)
{
	char *text = kunit_kzalloc(test, PAGE_SIZE + 1, GFP_KERNEL);
	struct file *file = xt_open_in(test, "sysfs", path, O_RDONLY);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, text);
	if (IS_ERR(file))
		return NULL;
	ret = xt_file_read(file, text, PAGE_SIZE + 1);
	__fput_sync(file);
	return ret < 0 ? NULL : text;
}

int xt_sysfs_write(struct kunit *test, const char *path, const char *text)
{
	struct file *file = xt_open_in(test, "sysfs", path, O_WRONLY);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = xt_file_write(file, text);
	__fput_sync(file);
	return ret;
}

/* They have no read_iter(), which kernel_read() needs. */
const char *xt_read_in(struct kunit *test, const char *fs, const char *path)
{
	char *text = kunit_kzalloc(test, XT_TEXT + 1, GFP_KERNEL);
	struct file *file = xt_open_in(test, fs, path, O_RDONLY);
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	unsigned long buffer;
	long size = 0, got;
	loff_t at = 0;

	KUNIT_ASSERT_NOT_NULL(test, text);
	if (IS_ERR(file))
		return NULL;
	buffer = xt_alloc(test, XT_TEXT);
	do {
		got = file->f_op->read(file, (char __user *)buffer + size,
				       XT_TEXT - size, &at);
		KUNIT_ASSERT_GE(test, got, 0);
		size += got;
	} while (got);
	xt_get(test, text, buffer, size);
	xt->used = used;
	__fput_sync(file);
	return text;
}

unsigned int xt_count(const char *text, const char *word)
{
	unsigned int count = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		count++;
	}
	return count;
}
