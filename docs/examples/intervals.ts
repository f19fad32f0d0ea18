/** While the channel is open, a client is told what is new, and its keepalives keep the session: so often it asks all the same. */
export const connectedSeconds = 1_800

/** The platform ends a connection that was idle for ten minutes. */
export const keepaliveSeconds = 300
