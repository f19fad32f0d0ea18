import { microsOf, timestamp } from '../../core/clock.ts'
import type { LogEntry } from '../entries/log-entry.ts'
import { type LogStream, logStreams } from '../entries/log-id.ts'
import { objectIdOf } from '../entries/log-store.ts'
import { type ColumnType, type FileRow, type FileValue, logColumns } from './columns.ts'

/** Columns that no entry has. `object_id` repeats the id in `before` or `after`, and the caller sets the others. */
const rowOnly = new Set(['stored_at', 'leaf', 'object_id', 'erased_at', 'erased_leaf'])
/** Columns whose values are objects in entries. */
const jsonColumns = new Set(['before', 'after'])
/** Columns of type `bigint` whose values are numbers in entries. */
const numberColumns = new Set(['content_length'])
/** Fields that entries do not have if the column is null. */
const optionalFields = new Set(['truncated'])
const subjectPrefix = 'subject_'

type Fields = Record<string, unknown>
/** Converts a value that is not null. */
type Convert = (value: unknown) => unknown
type FieldRule = { column: string; field: string; toRow: Convert; toEntry: Convert }

const unchanged: Convert = (value) => value
const toMicros: Convert = (text) => microsOf(text as string)
const toText: Convert = (micros) => timestamp(micros as number)
const convertNullable = (value: unknown, convert: Convert): unknown =>
  value === null || value === undefined ? null : convert(value)

/** Converts the given fields of each struct in a list. */
const inStructs =
  (fields: string[], convert: Convert): Convert =>
  (list) =>
    (list as Fields[]).map((struct) => {
      const converted = { ...struct }
      for (const field of fields) converted[field] = convertNullable(struct[field], convert)
      return converted
    })

function conversionsOf(column: string, type: ColumnType): [toRow: Convert, toEntry: Convert] {
  if (type === 'timestamp') return [toMicros, toText]
  if (jsonColumns.has(column)) return [JSON.stringify, (text) => JSON.parse(text as string)]
  if (numberColumns.has(column)) return [(value) => BigInt(value as number), Number]
  if (typeof type === 'string' || typeof type[0] === 'string') return [unchanged, unchanged]
  const times = Object.entries(type[0]).flatMap(([field, fieldType]) => (fieldType === 'timestamp' ? [field] : []))
  return [inStructs(times, toMicros), inStructs(times, toText)]
}

/** Rules for the fields of an entry itself, and for those of its subject. Copies of `empty` have all columns, which is fast. */
type StreamRules = { own: FieldRule[]; subject: FieldRule[]; empty: FileRow }

function rulesOf(stream: LogStream): StreamRules {
  const rules = Object.entries(logColumns[stream]).flatMap(([column, type]) => {
    if (rowOnly.has(column)) return []
    const [toRow, toEntry] = conversionsOf(column, type)
    return [{ column, field: column, toRow, toEntry }]
  })
  const isSubject = ({ column }: FieldRule) => column.startsWith(subjectPrefix)
  return {
    empty: Object.fromEntries(Object.keys(logColumns[stream]).map((column) => [column, null])),
    own: rules.filter((rule) => !isSubject(rule)),
    subject: rules.filter(isSubject).map((rule) => ({ ...rule, field: rule.column.slice(subjectPrefix.length) })),
  }
}

const streamRules = Object.fromEntries(logStreams.map((stream) => [stream, rulesOf(stream)])) as Record<
  LogStream,
  StreamRules
>

/** Converts an entry to a row. The caller adds the columns that are not part of entries, such as `stored_at` and `leaf`. */
export function entryRow(entry: LogEntry): FileRow {
  const { own, subject, empty } = streamRules[entry.type]
  const fields: Fields = entry
  const row = { ...empty }
  for (const { column, field, toRow } of own) row[column] = convertNullable(fields[field], toRow) as FileValue
  if (entry.type === 'change') row.object_id = objectIdOf(entry)
  const subjectFields = (fields.subject ?? {}) as Fields
  for (const { column, field, toRow } of subject)
    row[column] = convertNullable(subjectFields[field], toRow) as FileValue
  return row
}

/** Restores the entry of a row that is not erased. */
export function rowEntry(stream: LogStream, row: FileRow): LogEntry {
  const { own, subject } = streamRules[stream]
  const entry: Fields = { type: stream }
  for (const { column, field, toEntry } of own) {
    const value = convertNullable(row[column], toEntry)
    if (value !== null || !optionalFields.has(field)) entry[field] = value
  }
  if (subject.length > 0) {
    const fields: Fields = {}
    for (const { column, field, toEntry } of subject) fields[field] = convertNullable(row[column], toEntry)
    // The address is the only field that every subject has.
    entry.subject = fields.ip === null ? null : fields
  }
  return entry as LogEntry
}
