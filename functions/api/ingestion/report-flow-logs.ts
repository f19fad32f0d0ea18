import * as v from 'valibot'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { ingestFlows } from '#shared/logs/flows/ingest-flows.ts'

export const reportFlowLogs = operation(
  {
    method: 'POST',
    path: '/ingestion/flow_logs',
    summary: 'Report the opening and closing of flows',
    credential: 'ingest',
    refusals: ['too_many_records'],
    response: data(v.object({ status: v.literal('ok'), accepted: v.number() })),
  },
  ({ claims, body, headers }) => ingestFlows(claims, body, headers),
)

export const handler = lambda(reportFlowLogs)
