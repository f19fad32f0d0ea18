import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { fieldSchemas, takes } from '../operations/field-schemas.ts'

type Fields = Record<string, unknown>
/** A body that is as large as one may be, and what is wrong with it. */
export type LargeBody = { what: string; rawBody: string }

/** Characters that rules look for, each one in turn. */
const characters = ['x', ' ', '1', ',', ':', '/', '.', '[', '@', '-', '\u0301', '💥']
/** Enough to tell what grows faster than the body. */
const textBytes = 1_000_000
/** Fields that take a text or a list of texts. */
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

/** JSON of what lists of objects must survive, by the name of the field. */
const inside: Record<string, (bytes: number) => string[]> = {
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

/** Texts that rules look closely at, in all text fields of a request that is otherwise `sent`. */
function hostileTexts(operation: Operation, sent: Fields, maxBytes: number): LargeBody[] {
  const texts = Object.entries(fieldSchemas(operation)).filter(
    ([, schema]) => takes(schema, 'string') && !schema.enum && schema.format !== 'uuid',
  )
  const bytes = Math.floor(Math.min(textBytes, maxBytes - 10_000) / Math.max(1, texts.length))
  return [0, 1].map((turn) => {
    const fields = texts.map(([name], at): [string, string] => {
      const text = characters[(2 * at + turn + operation.path.length) % characters.length] as string
      return [name, text.repeat(bytes / Buffer.byteLength(text))]
    })
    const shown = fields.map(([name, [text]]) => `${name} ${JSON.stringify(text)}`).join(', ')
    return { what: `huge texts: ${shown}`, rawBody: wrapped(operation, { ...sent, ...Object.fromEntries(fields) }, '') }
  })
}

/** Lists where lists are taken, and what lists of objects must survive in particular. */
function hostileLists(operation: Operation, sent: Fields, maxBytes: number): LargeBody[] {
  const bytes = maxBytes - 10_000
  return Object.entries(fieldSchemas(operation)).flatMap(([name, schema]): LargeBody[] => {
    const junk = takes(schema, 'array') || commaLists.test(name) ? ['0', '"::,"'] : []
    return [...junk.map((element) => listOf(element, bytes / 5)), ...(inside[name]?.(bytes) ?? [])].map((json) => ({
      what: `${name}: ${json.slice(0, 80)}`,
      rawBody: wrapped(operation, { ...sent, [name]: undefined }, `"${name}":${json}`),
    }))
  })
}

/** The body of an operation: fields as they are, and JSON text of others. */
function wrapped({ body }: Operation, fields: Fields, more: string): string {
  const own = JSON.stringify(fields).slice(1, -1)
  const object = `{${[own, more].filter(Boolean).join(',')}}`
  return body?.envelope ? `{"${body.envelope}":${object}}` : object
}

/** All fields at once, each with its part of the body. */
function allFields(operation: Operation, json: (bytes: number) => string, maxBytes: number): string {
  const names = Object.keys(fieldSchemas(operation))
  const part = Math.floor((maxBytes - 10_000) / Math.max(1, names.length))
  return wrapped(operation, {}, names.map((name) => `"${name}":${json(part)}`).join(','))
}

/** What reading a body takes is the same for all operations of a surface: one of them is sent such bodies whole. */
const unreadable = (operation: Operation, bytes: number): LargeBody[] => [
  { what: 'a million keys beside the envelope', rawBody: `{${manyKeys(bytes)}}` },
  { what: 'deep nesting beside what is known', rawBody: wrapped(operation, {}, `"unknown":${nested(bytes / 5)}`) },
  { what: 'huge texts in all fields', rawBody: allFields(operation, (part) => `"${'x'.repeat(part - 50)}"`, bytes) },
]

/** A set of members, or flow reports, which have a reader of their own. */
function hostileSets({ body, method }: Operation, bytes: number): LargeBody[] {
  const envelope = body?.envelope ?? 'flow_logs'
  const lists = [
    ...['0', '""', '{}'].map((element) => listOf(element, bytes / 5)),
    ...(inside[envelope]?.(bytes) ?? []),
  ]
  const shapes = method === 'PATCH' ? lists.map((list) => `{"add":${list}}`) : [...lists, nested(bytes / 20)]
  return shapes.map((json) => ({ what: `${envelope}: ${json.slice(0, 40)}`, rawBody: `{"${envelope}":${json}}` }))
}

/** The largest invalid bodies of an operation; `first` of its surface. */
export function largestBodies(operation: Operation, sent: unknown, first: boolean): LargeBody[] {
  const maxBytes = isV0(operation.path) ? 1_048_576 : 5_000_000
  const bytes = maxBytes - 10_000
  const part = first ? bytes : bytes / 25
  const keys = { what: 'a million unknown keys', rawBody: wrapped(operation, {}, manyKeys(part)) }
  const general = [keys, ...(first ? unreadable(operation, bytes) : [])]
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
