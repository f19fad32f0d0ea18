export type OuterPath = {
  src_ip: string | null
  src_port: number | null
  dst_ip: string
  dst_port: number
  path_activated_at: number
}

/** A 64-bit count: a number, or its digits as text beyond 2^53. */
export type Counter = number | string

/** The fields that a close report adds to a flow; times in microseconds. */
export type Closing = {
  flow_end: number
  last_packet: number
  rx_packets: Counter
  tx_packets: Counter
  rx_bytes: Counter
  tx_bytes: Counter
  outers: OuterPath[]
}

/** A valid report of a flow (L10): addresses in canonical text, times in microseconds. */
export type FlowReport = {
  protocol: 'tcp' | 'udp'
  inner_src_ip: string
  inner_src_port: number
  inner_dst_ip: string
  inner_dst_port: number
  flow_start: number
  domain: string | null
  closing: Closing | null
}
