import fc from 'fast-check'
import { timestamp } from '#shared/core/clock.ts'
import { attributionFields, type LogEntry } from '#shared/logs/entries/log-entry.ts'
import { type LogStream, lastLogMicros, logId } from '#shared/logs/entries/log-id.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.uuid(),
  fc.constantFrom(
    '',
    '\0',
    '\ufeffmark',
    '\uffff',
    '\u{10ffff}'.repeat(9),
    'é'.repeat(300),
    '"',
    '__proto__',
    '\u202e',
  ),
)
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
/** Microseconds of the years 0 to 9999. Most numbers beyond 2^53 are not exact. */
const micros = fc.oneof(
  fc.nat({ max: lastLogMicros }),
  fc.double({ min: -62_167_219_200e6, max: 253_402_300_800e6 - 32, noNaN: true }).map(Math.floor),
)
const time = micros.map(timestamp)
const counter = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
)
const port = fc.nat({ max: 65_535 })
/** Coordinate in degrees. JSON, in which entries are stored, has no negative zero. */
const degrees = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0)
const snapshot = nullable(fc.dictionary(text, fc.jsonValue({ noUnicodeString: false }).map(withoutNegativeZeros)))

function withoutNegativeZeros(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const origin = {
  ip: text,
  ip_region: nullable(text),
  ip_city: nullable(text),
  ip_lat: nullable(degrees),
  ip_lon: nullable(degrees),
  user_agent: nullable(text),
}
const subject = fc.record({
  actor_id: nullable(text),
  actor_name: nullable(text),
  actor_type: nullable(text),
  actor_email: nullable(text),
  auth_provider_id: nullable(text),
  device_id: nullable(text),
  gateway_id: nullable(text),
  token_id: nullable(text),
  ...origin,
})

const common = <S extends LogStream>(stream: S) => ({
  type: fc.constant(stream),
  log_id: fc.nat({ max: lastLogMicros }).map((at) => logId(stream, at)),
  timestamp: time,
})

const outer = fc.record({
  src_ip: nullable(text),
  src_port: nullable(port),
  dst_ip: text,
  dst_port: port,
  path_activated_at: time,
})

const attribution = Object.fromEntries(
  Object.keys(attributionFields).map((name) => {
    if (name === 'authorized_at' || name === 'authorization_expires_at') return [name, nullable(time)]
    return [name, name === 'policy_authorization_id' || name === 'initiator_actor_id' ? text : nullable(text)]
  }),
) as unknown as { [Name in keyof typeof attributionFields]: fc.Arbitrary<string> }

/** Entries of each stream with hostile texts, 64-bit integers, and times of the years 0 to 9999. */
export const arbitraryEntries: Record<LogStream, fc.Arbitrary<LogEntry>> = {
  change: fc.record(
    {
      ...common('change'),
      object: text,
      operation: fc.constantFrom('insert', 'update', 'delete'),
      before: snapshot,
      after: snapshot,
      truncated: fc.array(text),
      subject: nullable(subject),
      run_id: nullable(text),
    },
    { requiredKeys: ['type', 'log_id', 'timestamp', 'object', 'operation', 'before', 'after', 'subject', 'run_id'] },
  ),
  session: fc.record({ ...common('session'), context: fc.constantFrom('client', 'gateway', 'portal'), subject }),
  api_request: fc.record({
    ...common('api_request'),
    actor_id: text,
    api_token_id: nullable(text),
    method: text,
    path: text,
    content_length: nullable(fc.nat({ max: 1e15 - 1 })),
    request_id: text,
    ...origin,
  }),
  flow: fc.record({
    ...common('flow'),
    role: fc.constantFrom('initiator', 'responder'),
    protocol: fc.constantFrom('tcp', 'udp'),
    flow_start: time,
    flow_end: nullable(time),
    last_packet: nullable(time),
    inner_src_ip: text,
    inner_src_port: port,
    inner_dst_ip: text,
    inner_dst_port: port,
    inner_domain: nullable(text),
    outers: nullable(fc.array(outer)),
    rx_packets: nullable(counter),
    tx_packets: nullable(counter),
    rx_bytes: nullable(counter),
    tx_bytes: nullable(counter),
    ...attribution,
  }),
}
