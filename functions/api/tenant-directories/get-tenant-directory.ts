import { getDirectory } from '#shared/http/directory-reads.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getTenantDirectory = getDirectory('tenant')

export const handler = lambda(getTenantDirectory)
