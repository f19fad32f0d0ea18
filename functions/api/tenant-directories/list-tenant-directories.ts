import { listDirectories } from '#shared/http/directory-reads.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listTenantDirectories = listDirectories('tenant')

export const handler = lambda(listTenantDirectories)
