import * as v from 'valibot'
import type { JsonSchema } from '../../values/field.ts'
import { textPattern } from '../../values/text-pattern.ts'
import { maxCounter } from './report-values.ts'

/** The fields of a record and its outer paths (L10): the names that are known, and their schemas in the reference. */

export const maxReports = 10_000
export const maxOuters = 1_000

const ip: JsonSchema = { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }
const port: JsonSchema = { type: 'integer', minimum: 0, maximum: 65_535 }
const time: JsonSchema = { type: 'string', format: 'date-time' }
const counter: JsonSchema = { type: 'integer', format: 'int64', minimum: 0, maximum: maxCounter }

const outer = {
  src_ip: { ...ip, type: ['string', 'null'] },
  src_port: { ...port, type: ['integer', 'null'] },
  dst_ip: ip,
  dst_port: port,
  path_activated_at: time,
}

const outerSchema: JsonSchema = {
  type: 'object',
  required: ['dst_ip', 'dst_port', 'path_activated_at'],
  additionalProperties: false,
  properties: outer,
  anyOf: [
    { required: ['src_ip', 'src_port'], properties: { src_ip: { type: 'string' }, src_port: { type: 'integer' } } },
    { properties: { src_ip: { type: 'null' }, src_port: { type: 'null' } } },
  ],
}

const flow = {
  protocol: { type: 'string', enum: ['tcp', 'udp'] },
  inner_src_ip: ip,
  inner_src_port: port,
  inner_dst_ip: ip,
  inner_dst_port: port,
  flow_start: { ...time, pattern: '^(19[7-9][0-9]|20[0-9]{2}|21(0[0-9]|1[01]))' },
}
const outers: JsonSchema = { type: ['array', 'null'], minItems: 1, maxItems: maxOuters, items: outerSchema }
const closing = {
  flow_end: time,
  last_packet: time,
  rx_packets: counter,
  tx_packets: counter,
  rx_bytes: counter,
  tx_bytes: counter,
}
const domain: JsonSchema = {
  type: ['string', 'null'],
  maxLength: 255,
  pattern: textPattern.any,
  description: 'Name by which the resource was reached; only of a DNS resource.',
  examples: ['wiki.example.com'],
}

export const closeFields = Object.keys(closing)
export const recordFields = new Set([...Object.keys(flow), 'domain', 'outers', ...closeFields])
export const outerFields = new Set(Object.keys(outer))

const absent: JsonSchema = { type: 'null', description: 'Null or left out while the flow is open.' }
const report = (title: string, more: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  title,
  type: 'object',
  required: [...Object.keys(flow), ...required],
  additionalProperties: false,
  properties: { ...flow, domain, outers, ...more },
})

/** The records of a request: each reports that a flow opened, or that it closed. */
export const recordsSchema: JsonSchema = {
  type: 'array',
  maxItems: maxReports,
  items: {
    anyOf: [
      report('Open report', Object.fromEntries(closeFields.map((name) => [name, absent])), []),
      report('Close report', { ...closing, outers: { ...outers, type: 'array' } }, ['outers', ...closeFields]),
    ],
  },
}

const ErrorsByRecord = v.pipe(
  v.record(v.string(), v.record(v.string(), v.array(v.string()))),
  v.metadata({
    description: 'Zero-based index of the record → field → messages, of the first 100 records that are not valid.',
    examples: [{ 3: { inner_src_port: ["can't be blank"] } }],
  }),
)

/** The members of the answer when some records are not valid (L8). */
export const RejectedReports = v.object({
  accepted: v.number(),
  rejected: v.number(),
  errors: ErrorsByRecord,
  errors_truncated: v.boolean(),
})
export type RejectedReports = v.InferOutput<typeof RejectedReports>
