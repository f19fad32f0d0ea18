import { parseTimestamp, parseUsualTimestamp } from '../../core/clock.ts'
import type { JsonSchema } from '../../values/field.ts'
import { canonicalIp } from '../../values/ip.ts'
import { isLonger, textPattern } from '../../values/text.ts'
import { lastLogMicros } from '../entries/log-id.ts'

export const maxReports = 10_000
export const maxOuters = 1_000

/** Validation message for a field. Returned rather than thrown, because a request can have thousands of invalid fields. */
export class FieldFault extends Error {}

export type Field<T> = { read: (value: unknown) => T | FieldFault; schema: JsonSchema }
type Fields = Record<string, Field<unknown>>
type Values<F extends Fields> = { [K in keyof F]: Exclude<ReturnType<F[K]['read']>, FieldFault> }

/** 64-bit count: a number up to 2^53, or a decimal string above that limit. */
type Counter = number | string

const mustBeIp = new FieldFault('must be an IPv4 or IPv6 address')
const canonicalByText = new Map<string, string>()

/** Parses an IP address into its canonical form. Caches results, because the reports of a tunnel contain few different addresses. */
function readIp(value: unknown): string | FieldFault {
  if (typeof value !== 'string') return mustBeIp
  const cached = canonicalByText.get(value)
  if (cached !== undefined) return cached
  const ip = canonicalIp(value.trim())
  if (ip === null) return mustBeIp
  if (canonicalByText.size >= 10_000) canonicalByText.clear()
  if (value.length <= 64) canonicalByText.set(value, ip)
  return ip
}

const ip: Field<string> = { read: readIp, schema: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] } }

const mustBeInteger = new FieldFault('must be an integer')
const mustBeNatural = new FieldFault('must be greater than or equal to 0')

/** Field for a non-negative integer in any JSON notation, such as `1.0` or `1e3`. Values beyond 2^53 must be parsed as bigint. */
function natural<T>(max: number | bigint, keep: (value: number | bigint) => T, more: JsonSchema = {}): Field<T> {
  const mustBeLess = new FieldFault(`must be less than or equal to ${max}`)
  return {
    read(value) {
      const isInteger = typeof value === 'number' ? Number.isInteger(value) || Math.abs(value) === Infinity : false
      if (!isInteger && typeof value !== 'bigint') return mustBeInteger
      const integer = value as number | bigint
      if (integer < 0) return mustBeNatural
      return integer > max ? mustBeLess : keep(integer)
    },
    schema: { type: 'integer', ...more, minimum: 0, maximum: max },
  }
}

const port = natural(65_535, Number)
const counter = natural<Counter>(
  2n ** 63n - 1n,
  (count) => (count > Number.MAX_SAFE_INTEGER ? String(count) : Number(count)),
  { format: 'int64' },
)

const mustBeTime = new FieldFault('must be an RFC 3339 timestamp, for example 2026-03-01T12:00:00Z')
/** Range of timestamps in responses, in microseconds: the years 0 to 9999 in UTC. */
const firstMicros = -62_167_219_200_000_000
const endMicros = 253_402_300_800_000_000

function readTime(value: unknown): number | FieldFault {
  if (typeof value !== 'string') return mustBeTime
  const usual = parseUsualTimestamp(value)
  const micros = Number.isNaN(usual) ? parseTimestamp(value.trim()) : usual
  return micros !== null && micros >= firstMicros && micros < endMicros ? micros : mustBeTime
}

const time: Field<number> = { read: readTime, schema: { type: 'string', format: 'date-time' } }

const mustFitLogId = new FieldFault('must be from 1970 to 2112')

/** Start of a flow. Restricted to times that fit into a log id (L4), because the flow's id contains the start. */
const start: Field<number> = {
  read(value) {
    const micros = readTime(value)
    return micros instanceof FieldFault || (micros >= 0 && micros <= lastLogMicros) ? micros : mustFitLogId
  },
  schema: { ...time.schema, pattern: '^(19[7-9][0-9]|20[0-9]{2}|21(0[0-9]|1[01]))' },
}

export const flowProtocols = ['tcp', 'udp'] as const
const mustBeProtocol = new FieldFault(`must be one of ${flowProtocols.join(', ')}`)
const protocol: Field<(typeof flowProtocols)[number]> = {
  read: (value) => flowProtocols.find((one) => one === value) ?? mustBeProtocol,
  schema: { type: 'string', enum: [...flowProtocols] },
}

const isInvalid = new FieldFault('is invalid')
const maxDomain = 255
const isTooLong = new FieldFault(`should be at most ${maxDomain} character(s)`)

export const domain: Field<string> = {
  read(value) {
    if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return isInvalid
    const text = value.trim()
    return isLonger(text, maxDomain) ? isTooLong : text
  },
  schema: {
    type: ['string', 'null'],
    maxLength: maxDomain,
    pattern: textPattern.any,
    description: 'Name by which the resource was reached. Only for a DNS resource.',
    examples: ['wiki.example.com'],
  },
}

export const flow = {
  protocol,
  inner_src_ip: ip,
  inner_src_port: port,
  inner_dst_ip: ip,
  inner_dst_port: port,
  flow_start: start,
}

/** Required fields of a close report. A record with any of these fields is a close report (L10.1). */
export const closing = {
  flow_end: time,
  last_packet: time,
  rx_packets: counter,
  tx_packets: counter,
  rx_bytes: counter,
  tx_bytes: counter,
}

export const destination = { dst_ip: ip, dst_port: port, path_activated_at: time }
/** Source fields of an outer path. An outer path has both fields or neither. */
export const source = { src_ip: ip, src_port: port }

type Nullable<T> = { [K in keyof T]: T[K] | null }
export type OuterPath = Nullable<Values<typeof source>> & Values<typeof destination>
export type Closing = Values<typeof closing> & { outers: OuterPath[] }
/** Validated flow report (L10) with canonical addresses and times in microseconds. `closing` is null for an open report. */
export type FlowReport = Values<typeof flow> & { domain: string | null; closing: Closing | null }

const nullable = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, 'null'] })
const schemasOf = (fields: Fields): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))

const outer: JsonSchema = {
  type: 'object',
  required: Object.keys(destination),
  additionalProperties: false,
  properties: { src_ip: nullable(ip.schema), src_port: nullable(port.schema), ...schemasOf(destination) },
  anyOf: [
    {
      required: Object.keys(source),
      properties: { src_ip: { type: ip.schema.type }, src_port: { type: port.schema.type } },
    },
    { properties: { src_ip: { type: 'null' }, src_port: { type: 'null' } } },
  ],
}
const outers = { type: 'array', minItems: 1, maxItems: maxOuters, items: outer }

const report = (title: string, more: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  title,
  type: 'object',
  required: [...Object.keys(flow), ...required],
  additionalProperties: false,
  properties: { ...schemasOf(flow), domain: domain.schema, outers: nullable(outers), ...more },
})

const absent: JsonSchema = { type: 'null', description: 'Null or left out while the flow is open.' }
const closeFields = Object.keys(closing)

export const recordsSchema: JsonSchema = {
  type: 'array',
  maxItems: maxReports,
  items: {
    anyOf: [
      report('Open report', Object.fromEntries(closeFields.map((name) => [name, absent])), []),
      report('Close report', { ...schemasOf(closing), outers }, ['outers', ...closeFields]),
    ],
  },
}
