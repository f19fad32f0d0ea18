/**
 * Heartbeat interval of a client that is connected to the live channel, in seconds. The channel notifies it of changes, and its
 * keepalives renew the session.
 */
export const connectedSeconds = 1_800

/** Keepalive interval of a gateway in seconds. The platform closes a connection that was idle for ten minutes. */
export const keepaliveSeconds = 300
