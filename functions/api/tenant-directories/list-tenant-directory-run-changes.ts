import { lambda } from '#shared/http/lambda.ts'
import { listRunChanges } from '#shared/http/run-reads.ts'

export const listTenantDirectoryRunChanges = listRunChanges('tenant')

export const handler = lambda(listTenantDirectoryRunChanges)
