import { lambda } from '#shared/http/lambda.ts'
import { rewindDirectoryRun } from '#shared/http/rewind-operations.ts'

export const rewindTenantDirectoryRun = rewindDirectoryRun('tenant')

export const handler = lambda(rewindTenantDirectoryRun)
