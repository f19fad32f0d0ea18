import { lambda } from '#shared/http/lambda.ts'
import { syncDirectory } from '#shared/http/run-operations.ts'

export const syncTenantDirectory = syncDirectory('tenant')

export const handler = lambda(syncTenantDirectory)
