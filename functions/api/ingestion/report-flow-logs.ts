import * as v from 'valibot'
import { data, operation } from '#shared/http/lambda.ts'
import { recordsSchema } from '#shared/logs/flows/flow-report.ts'
import { ingestFlows, RejectedReports } from '#shared/logs/flows/ingest-flows.ts'

export const handler = operation(
  'POST /ingestion/flow_logs',
  {
    summary: 'Report the opening and closing of flows',
    credential: 'ingest',
    body: { envelope: 'flow_logs', shape: 'list', value: recordsSchema, encodings: ['gzip'] },
    refusals: ['too_many_records'],
    rejection: RejectedReports,
    response: data(v.object({ status: v.literal('ok'), accepted: v.number() })),
    status: 200,
  },
  ({ claims, body, headers }) => ingestFlows(claims, body, headers),
)
