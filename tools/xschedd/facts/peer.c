// SPDX-License-Identifier: MIT
/*
 * The user at the other end of a connection.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "facts/names.h"
#include "facts/peer.h"

#define MAX_GROUPS	1024

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD	77
#endif

static bool peer_contains(const gid_t *groups, size_t count, gid_t gid)
{
	for (size_t i = 0; i < count; i++)
		if (groups[i] == gid)
			return true;
	return false;
}

/* ---- a socket of this host ---------------------------------------------- */

static bool peer_in_group(int fd, gid_t primary)
{
	gid_t groups[MAX_GROUPS], admins;
	socklen_t size = sizeof(groups);

	if (!names_admins(&admins))
		return false;
	if (primary == admins)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
		return false;
	return peer_contains(groups, size / sizeof(*groups), admins);
}

int peer_of_unix(struct peer *peer, int fd)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size))
		return -errno;
	*peer = (struct peer){
		.uid = credentials.uid,
		.account = account_of(names_owner(credentials.uid), 0),
		.pid = credentials.pid,
	};
	peer->admin = peer_in_group(fd, credentials.gid);
	return 0;
}

/* Whether the process that connected has ended. False before Linux 6.5, which cannot say. */
static bool peer_has_ended(int fd)
{
	struct pollfd end = { .events = POLLIN };
	socklen_t size = sizeof(end.fd);
	bool ended;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &end.fd, &size))
		return errno == ESRCH || errno == EINVAL;
	ended = poll(&end, 1, 0) != 0;
	close(end.fd);
	return ended;
}

/* Its user is the one that connected, whatever the process is by now. */
void peer_identify(struct peer *peer, int fd, const struct process *process)
{
	if (!process->known || peer_has_ended(fd))
		return;
	strcpy(peer->comm, process->comm);
	peer->account = process->own_users ? account_of(peer->uid, process->cgroup_id) :
					     process->account;
	peer->root = !peer->uid && process->nice_capable;
	peer->admin |= peer->root;
}

/* ---- TCP ---------------------------------------------------------------- */

/* The connection as the other end sees it: its address is the source. */
static int peer_find_ends(int fd, struct inet_diag_sockid *id)
{
	struct sockaddr_in own, other;
	socklen_t size = sizeof(own);

	if (getsockname(fd, (struct sockaddr *)&own, &size))
		return -errno;
	size = sizeof(other);
	if (getpeername(fd, (struct sockaddr *)&other, &size))
		return -errno;
	if (other.sin_family != AF_INET ||
	    ntohl(other.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
		return -EACCES;
	*id = (struct inet_diag_sockid){
		.idiag_sport = other.sin_port,
		.idiag_dport = own.sin_port,
		.idiag_src = { other.sin_addr.s_addr },
		.idiag_dst = { own.sin_addr.s_addr },
		.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE },
	};
	return 0;
}

/* The id of the cgroup that made the socket, 0: this kernel does not tell. */
static uint64_t peer_find_cgroup(const struct nlmsghdr *header)
{
	const struct inet_diag_msg *answer = NLMSG_DATA(header);
	int left = header->nlmsg_len - NLMSG_LENGTH(sizeof(*answer));
	uint64_t cgroup;

	for (const struct rtattr *at = (const struct rtattr *)(answer + 1);
	     RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		if (at->rta_type != INET_DIAG_CGROUP_ID ||
		    RTA_PAYLOAD(at) < sizeof(cgroup))
			continue;
		memcpy(&cgroup, RTA_DATA(at), sizeof(cgroup));
		return cgroup;
	}
	return 0;
}

int peer_open_diag(void)
{
	int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	return diag < 0 ? -errno : diag;
}

/* The kernel has answered when send() returns. */
static int peer_ask_kernel(int diag, const struct inet_diag_sockid *id,
			   struct inet_diag_msg *answer, uint64_t *cgroup)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 request;
	} question = {
		.header = {
			.nlmsg_len = sizeof(question),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.request = {
			.sdiag_family = AF_INET,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = ~0u,
			.id = *id,
		},
	};
	struct {
		struct nlmsghdr header;
		union {
			struct nlmsgerr error;
			struct inet_diag_msg answer;
			char room[1024];
		};
	} reply;
	ssize_t got;

	if (send(diag, &question, sizeof(question), 0) < 0)
		return -errno;
	got = recv(diag, &reply, sizeof(reply), MSG_DONTWAIT);
	if (got < 0)
		return -errno;
	if (reply.header.nlmsg_type == NLMSG_ERROR)
		return reply.error.error == -ENOENT ? -EACCES :
						      reply.error.error;
	if (!NLMSG_OK(&reply.header, (size_t)got) ||
	    reply.header.nlmsg_len < NLMSG_LENGTH(sizeof(*answer)))
		return -EBADMSG;
	*answer = reply.answer;
	*cgroup = peer_find_cgroup(&reply.header);
	return 0;
}

int peer_of_tcp(struct peer *peer, int fd, int diag)
{
	struct inet_diag_sockid id;
	struct inet_diag_msg answer = { 0 };
	uint64_t cgroup = 0;
	int ret = peer_find_ends(fd, &id);

	if (!ret)
		ret = peer_ask_kernel(diag, &id, &answer, &cgroup);
	if (ret)
		return ret;
	/* The kernel reports root as the owner of a socket that is closed. */
	if (!answer.idiag_inode || answer.idiag_state == TCP_TIME_WAIT)
		return -EACCES;
	*peer = (struct peer){
		.uid = answer.idiag_uid,
		.account = account_of(names_owner(answer.idiag_uid), cgroup),
	};
	return 0;
}

bool peer_sees_listener(int diag, uint16_t port)
{
	const struct inet_diag_sockid id = {
		.idiag_sport = htons(port),
		.idiag_src = { htonl(INADDR_LOOPBACK) },
		.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE },
	};
	struct inet_diag_msg answer;
	uint64_t cgroup;

	return !peer_ask_kernel(diag, &id, &answer, &cgroup);
}

/* ---- permissions -------------------------------------------------------- */

bool peer_may(const struct peer *peer, const struct process *process)
{
	return peer->admin || (process && process_is_owned(process) &&
			       process->uid == peer->uid);
}
