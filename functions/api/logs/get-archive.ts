import { data, operation } from '#shared/http/lambda.ts'
import { ArchiveAnswer, readArchiveStatus } from '#shared/seal/archive-status.ts'

export const handler = operation(
  'GET /logs/archive',
  { summary: 'Read how far the logs are archived', permission: 'logs:read', response: data(ArchiveAnswer) },
  ({ accountId }) => readArchiveStatus(accountId),
)
