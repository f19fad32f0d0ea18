/**
 * `User-Agent` of the pulse's handshake at the live channel. It separates the pulse's log lines from those of devices.
 */
export const pulseAgent = 'network-access-pulse'
