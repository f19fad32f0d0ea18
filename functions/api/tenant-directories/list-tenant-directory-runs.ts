import { lambda } from '#shared/http/lambda.ts'
import { listRuns } from '#shared/http/run-reads.ts'

export const listTenantDirectoryRuns = listRuns('tenant')

export const handler = lambda(listTenantDirectoryRuns)
