import { compileFilters, type Filter } from './filter.ts'

/** An event source mapping's settings, as Lambda applies them. */
export type Mapping = {
  functionArn: string
  sourceArn: string
  batchSize: number
  windowSeconds: number
  filter: Filter
  bisect: boolean
  /** -1: without an end, as on AWS. */
  maxRetries: number
  maxAgeSeconds: number
  parallel: number
  reportsItemFailures: boolean
  /** The bucket that keeps what could not be handled. */
  onFailure: string | null
}

const known = new Set([
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'Enabled',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'FunctionResponseTypes',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'MetricsConfig',
  'ParallelizationFactor',
  'StartingPosition',
  'Tags',
])

function refuseUnsupported(id: string, properties: Record<string, unknown>): void {
  const unknown = Object.keys(properties).find((name) => !known.has(name))
  if (unknown) throw new Error(`The local runner does not support the setting ${unknown} of the event source ${id}.`)
  const { StartingPosition, FunctionResponseTypes, DestinationConfig } = properties
  // Table, stream and mapping come into being together here: nothing older than the mapping exists.
  if (StartingPosition !== 'LATEST' && StartingPosition !== 'TRIM_HORIZON') {
    throw new Error(`The local runner does not support the starting position ${StartingPosition} of ${id}.`)
  }
  const type = [FunctionResponseTypes ?? []].flat().find((item) => item !== 'ReportBatchItemFailures')
  if (type) throw new Error(`The local runner does not support the response type ${type} of ${id}.`)
  const destination = Object.keys(DestinationConfig ?? {}).find((name) => name !== 'OnFailure')
  if (destination) throw new Error(`The local runner does not support the destination ${destination} of ${id}.`)
}

/** Reads a mapping's resolved properties; a setting that this runner cannot honour is an error. */
export function readMapping(id: string, properties: Record<string, unknown>): Mapping {
  refuseUnsupported(id, properties)
  const p = properties as {
    FunctionName: string
    EventSourceArn: string
    BatchSize?: number
    MaximumBatchingWindowInSeconds?: number
    FilterCriteria?: { Filters?: Array<{ Pattern: string }> }
    BisectBatchOnFunctionError?: boolean
    MaximumRetryAttempts?: number
    MaximumRecordAgeInSeconds?: number
    ParallelizationFactor?: number
    FunctionResponseTypes?: string[]
    DestinationConfig?: { OnFailure?: { Destination: string } }
  }
  const onFailure = p.DestinationConfig?.OnFailure?.Destination ?? null
  if (onFailure && !/^arn:[^:]+:s3:/.test(onFailure)) {
    throw new Error(`The failure destination of ${id} is no S3 bucket: only a bucket keeps the whole payload.`)
  }
  return {
    functionArn: p.FunctionName,
    sourceArn: p.EventSourceArn,
    batchSize: p.BatchSize ?? 100,
    windowSeconds: p.MaximumBatchingWindowInSeconds ?? 0,
    filter: compileFilters((p.FilterCriteria?.Filters ?? []).map(({ Pattern }) => Pattern)),
    bisect: p.BisectBatchOnFunctionError ?? false,
    maxRetries: p.MaximumRetryAttempts ?? -1,
    maxAgeSeconds: p.MaximumRecordAgeInSeconds ?? -1,
    parallel: p.ParallelizationFactor ?? 1,
    reportsItemFailures: p.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
    onFailure,
  }
}
