// SPDX-License-Identifier: MIT
/*
 * libmicrohttpd has a clock of its own, by which it hangs up on idle connections. xschedd has the
 * same time-out by its own clock, which the tests move: that of the library is taken away.
 */
#include <microhttpd.h>

const union MHD_ConnectionInfo *
__real_MHD_get_connection_info(struct MHD_Connection *connection,
			       enum MHD_ConnectionInfoType type, ...);
const union MHD_ConnectionInfo *
__wrap_MHD_get_connection_info(struct MHD_Connection *connection,
			       enum MHD_ConnectionInfoType type, ...);

/* xschedd asks for the socket as soon as there is a connection. */
const union MHD_ConnectionInfo *
__wrap_MHD_get_connection_info(struct MHD_Connection *connection,
			       enum MHD_ConnectionInfoType type, ...)
{
	if (type == MHD_CONNECTION_INFO_CONNECTION_FD)
		MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
	return __real_MHD_get_connection_info(connection, type);
}
