import * as v from 'valibot'
import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'

/** Properties of an event source mapping that the local runner supports, with Lambda's defaults. */
const settings = v.pipe(
  v.strictObject({
    FunctionName: v.string(),
    EventSourceArn: v.string(),
    BatchSize: v.optional(v.number(), 100),
    FilterCriteria: v.optional(v.object({ Filters: v.array(v.object({ Pattern: v.string() })) })),
    BisectBatchOnFunctionError: v.optional(v.boolean(), false),
    // The value -1 means no limit, as on AWS.
    MaximumRetryAttempts: v.optional(v.number(), -1),
    MaximumRecordAgeInSeconds: v.optional(v.number(), -1),
    ParallelizationFactor: v.optional(v.number(), 1),
    FunctionResponseTypes: v.optional(v.array(v.literal('ReportBatchItemFailures')), []),
    // Requires a bucket, because other destinations do not receive the whole payload.
    DestinationConfig: v.optional(
      v.strictObject({
        OnFailure: v.optional(v.object({ Destination: v.pipe(v.string(), v.regex(/^arn:[^:]+:s3:/)) })),
      }),
    ),
    // Accepts both values, which are equivalent locally. Stream and mapping are created together, so no older records exist.
    StartingPosition: v.picklist(['LATEST', 'TRIM_HORIZON']),
    Enabled: v.optional(v.unknown()),
    MetricsConfig: v.optional(v.unknown()),
    Tags: v.optional(v.unknown()),
  }),
  v.check(({ FilterCriteria, EventSourceArn }) => !FilterCriteria || !EventSourceArn.includes(':kinesis:'), 'a filter'),
  v.transform((properties) => ({
    ...properties,
    patterns: (properties.FilterCriteria?.Filters ?? []).map(({ Pattern }) => Pattern),
  })),
  v.transform(({ patterns, ...properties }) => ({
    functionArn: properties.FunctionName,
    sourceArn: properties.EventSourceArn,
    batchSize: properties.BatchSize,
    patterns,
    filter: compileFilters(patterns),
    bisect: properties.BisectBatchOnFunctionError,
    maxRetries: properties.MaximumRetryAttempts,
    maxAgeSeconds: properties.MaximumRecordAgeInSeconds,
    parallel: properties.ParallelizationFactor,
    reportsItemFailures: properties.FunctionResponseTypes.length > 0,
    /** Destination bucket for failed batches; null if there is none. */
    onFailure: properties.DestinationConfig?.OnFailure?.Destination ?? null,
  })),
)

export type Mapping = v.InferOutput<typeof settings>

/**
 * Reads a mapping's resolved properties.
 * @throws Error for a property that the local runner does not support
 */
export function readMapping(id: string, properties: Record<string, unknown>): Mapping {
  const { success, output, issues } = v.safeParse(settings, properties)
  if (success) return output
  const [issue] = issues
  throw new Error(
    `The local runner does not support the event source ${id}: ${v.getDotPath(issue) ?? issue.message}, ${issue.received}.`,
  )
}

export type Schedule = { functionArn: string; seconds: number }

const units: Record<string, number> = { minute: 60, hour: 3_600, day: 86_400 }

/**
 * Reads the functions that a rule schedules.
 * @throws Error for a schedule that is not a rate
 */
export function readSchedule(
  id: string,
  properties: Record<string, unknown>,
  functionArnOf: (arn: string) => string | undefined,
): Schedule[] {
  const { ScheduleExpression: expression, State = 'ENABLED', Targets = [] } = properties
  if (State !== 'ENABLED') return []
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(String(expression)) ?? []
  const unitSeconds = units[unit]
  if (unitSeconds === undefined)
    throw new Error(`The local runner does not support the schedule ${expression} of ${id}.`)
  const seconds = Number(count) * unitSeconds
  return (Targets as { Arn: string }[]).map(({ Arn }) => {
    const functionArn = functionArnOf(Arn)
    if (!functionArn) throw new Error(`The schedule ${id} invokes no function.`)
    return { functionArn, seconds }
  })
}

/** Filter of an event source mapping. Returns true for a record that is passed to the function. */
export type EventFilter = (record: unknown) => boolean

/**
 * Compiles a filter pattern, which consists of nested objects and lists of allowed values.
 * @throws Error for any other rule
 */
function compile(pattern: unknown): EventFilter {
  if (!isObject(pattern)) throw new Error('A filter pattern must be an object.')
  const tests = Object.entries(pattern).map(([key, rule]): EventFilter => {
    if (!Array.isArray(rule)) {
      const inner = compile(rule)
      return (record) => inner(fieldsOf(record)[key])
    }
    if (rule.some(isObject))
      throw new Error(`The local runner does not support the operator of ${key} in a filter pattern.`)
    return (record) => rule.includes(fieldsOf(record)[key])
  })
  return (record) => tests.every((test) => test(record))
}

/** Compiles the filters of a mapping. A record passes if any filter matches, or if there is none. */
export function compileFilters(patterns: string[]): EventFilter {
  const filters = patterns.map((pattern) => compile(JSON.parse(pattern)))
  return (record) => filters.length === 0 || filters.some((filter) => filter(record))
}
