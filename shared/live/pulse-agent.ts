/** `User-Agent` of the pulse's handshake at the live channel, by which its line is told from that of a device. */
export const pulseAgent = 'network-access-pulse'
