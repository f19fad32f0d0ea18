import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { fieldSchemas, takes } from '../operations/field-schemas.ts'

type Fields = Record<string, unknown>
export type LargeBody = { what: string; rawBody: string }

/** Characters with a special meaning in validation rules, used in turn. */
const characters = ['x', ' ', '1', ',', ':', '/', '.', '[', '@', '-', '\u0301', '💥']
/** String size in bytes at which superlinear processing time becomes visible. */
const textBytes = 1_000_000
const commaLists = /^(default_client_)?(allowed_ips|dns)$/

const listOf = (element: string, bytes: number): string =>
  `[${Array(Math.max(1, Math.floor(bytes / (element.length + 1))))
    .fill(element)
    .join(',')}]`

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const manyKeys = (bytes: number): string => {
  const keys: string[] = []
  for (let size = 0, i = 0; size < bytes; i++) {
    const key = `"${i.toString(36)}_":0`
    keys.push(key)
    size += key.length + 1
  }
  return keys.join(',')
}

const condition = (values: string) =>
  `{"property":"current_utc_datetime","operator":"is_in_day_of_week_time_ranges","values":${values}}`

/** Functions that return JSON lists of about `bytes` bytes, by field name. */
const largeLists: Record<string, (bytes: number) => string[]> = {
  conditions: (bytes) => [
    listOf('{"property":"x"}', bytes),
    listOf(condition('[""]'), bytes),
    `[${condition(`["M/${'1-2,'.repeat(bytes / 4)}3-4/UTC"]`)}]`,
    `[${condition(listOf('"M/1-2/UTC"', bytes))}]`,
    `[${condition(`[${Array(1_000).fill(`"${'M/1-2/'.repeat(bytes / 6_000)}"`)}]`)}]`,
  ],
  filters: (bytes) => [
    listOf('{"protocol":"tcp","ports":[0]}', bytes),
    `[{"protocol":"tcp","ports":${listOf('"1"', bytes)}}]`,
    `[{"protocol":"tcp","ports":["1${' '.repeat(bytes)}x"]}]`,
    `[${Array(100).fill(`{"ports":${listOf('"x"', Math.min(1_900, bytes / 100))}}`)}]`,
  ],
  openid_connect_providers: (bytes) => [`[${Array(20).fill(`{"id":"${'x'.repeat(bytes / 20)}"}`)}]`],
  saml_identity_providers: (bytes) => [
    `[{"metadata":"${'<a>'.repeat(bytes / 3)}"}]`,
    `[${Array(20).fill(`{"metadata":"<a ${'b=\\"c\\" '.repeat(bytes / 160)}>"}`)}]`,
  ],
  memberships: (bytes) => [listOf('{"actor_id":"x"}', bytes), listOf('{}', bytes)],
  pool_members: (bytes) => [listOf('{"device_id":"x"}', bytes), listOf('{}', bytes)],
  flow_logs: (bytes) => [listOf('{}', bytes), listOf('{"protocol":"x"}', bytes)],
}

/** Builds bodies with huge strings of special characters in all string fields. The other fields are taken from `sent`. */
function hostileTexts(operation: Operation, sent: Fields, maxBytes: number): LargeBody[] {
  const texts = Object.entries(fieldSchemas(operation)).filter(
    ([, schema]) => takes(schema, 'string') && !schema.enum && schema.format !== 'uuid',
  )
  const bytes = Math.floor(Math.min(textBytes, maxBytes - 10_000) / Math.max(1, texts.length))
  return [0, 1].map((offset) => {
    const fields = texts.map(([name], at): [string, string] => {
      const text = characters[(2 * at + offset + operation.path.length) % characters.length] as string
      return [name, text.repeat(bytes / Buffer.byteLength(text))]
    })
    const summary = fields.map(([name, [text]]) => `${name} ${JSON.stringify(text)}`).join(', ')
    return {
      what: `huge texts: ${summary}`,
      rawBody: toBody(operation, { ...sent, ...Object.fromEntries(fields) }, ''),
    }
  })
}

function hostileLists(operation: Operation, sent: Fields, maxBytes: number): LargeBody[] {
  const bytes = maxBytes - 10_000
  return Object.entries(fieldSchemas(operation)).flatMap(([name, schema]): LargeBody[] => {
    const junk = takes(schema, 'array') || commaLists.test(name) ? ['0', '"::,"'] : []
    return [...junk.map((element) => listOf(element, bytes / 5)), ...(largeLists[name]?.(bytes) ?? [])].map((json) => ({
      what: `${name}: ${json.slice(0, 80)}`,
      rawBody: toBody(operation, { ...sent, [name]: undefined }, `"${name}":${json}`),
    }))
  })
}

function toBody({ body }: Operation, fields: Fields, moreText: string): string {
  const fieldsText = JSON.stringify(fields).slice(1, -1)
  const object = `{${[fieldsText, moreText].filter(Boolean).join(',')}}`
  return body?.envelope ? `{"${body.envelope}":${object}}` : object
}

/** Builds a body with the same value in all fields. Each field takes an equal share of the bytes. */
function allFields(operation: Operation, json: (bytes: number) => string, maxBytes: number): string {
  const names = Object.keys(fieldSchemas(operation))
  const part = Math.floor((maxBytes - 10_000) / Math.max(1, names.length))
  return toBody(operation, {}, names.map((name) => `"${name}":${json(part)}`).join(','))
}

/** Bodies that are costly to parse. One operation per surface receives them, because parsing is the same for all. */
const costlyBodies = (operation: Operation, bytes: number): LargeBody[] => [
  { what: 'a million keys outside the envelope', rawBody: `{${manyKeys(bytes)}}` },
  { what: 'deep nesting in an unknown field', rawBody: toBody(operation, {}, `"unknown":${nested(bytes / 5)}`) },
  { what: 'huge texts in all fields', rawBody: allFields(operation, (part) => `"${'x'.repeat(part - 50)}"`, bytes) },
]

/** Builds invalid bodies for member sets and flow reports, which have separate parsers. */
function hostileSets({ body, method }: Operation, bytes: number): LargeBody[] {
  const envelope = body?.envelope ?? 'flow_logs'
  const lists = [
    ...['0', '""', '{}'].map((element) => listOf(element, bytes / 5)),
    ...(largeLists[envelope]?.(bytes) ?? []),
  ]
  const shapes = method === 'PATCH' ? lists.map((list) => `{"add":${list}}`) : [...lists, nested(bytes / 20)]
  return shapes.map((json) => ({ what: `${envelope}: ${json.slice(0, 40)}`, rawBody: `{"${envelope}":${json}}` }))
}

/**
 * Returns the largest invalid bodies of an operation.
 * @param first true for the first operation of a surface, which receives the largest bodies
 */
export function largestBodies(operation: Operation, sent: unknown, first: boolean): LargeBody[] {
  const maxBytes = isV0(operation.path) ? 1_048_576 : 5_000_000
  const bytes = maxBytes - 10_000
  const part = first ? bytes : bytes / 25
  const keys = { what: 'a million unknown keys', rawBody: toBody(operation, {}, manyKeys(part)) }
  const general = [keys, ...(first ? costlyBodies(operation, bytes) : [])]
  if (!operation.body?.fields) return [...general, ...hostileSets(operation, bytes)]
  const given = operation.method === 'POST' ? (sent as Fields) : {}
  return [
    ...general,
    { what: 'huge lists in all fields', rawBody: allFields(operation, (each) => listOf('0', each - 50), part) },
    { what: 'deep nesting in all fields', rawBody: allFields(operation, (each) => nested(each / 2 - 50), part) },
    ...hostileTexts(operation, given, maxBytes),
    ...hostileLists(operation, given, maxBytes),
  ]
}
