import { deleteDirectory } from '#shared/http/directory-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getTenantDirectory } from './get-tenant-directory.ts'

export const deleteTenantDirectory = deleteDirectory('tenant', getTenantDirectory)

export const handler = lambda(deleteTenantDirectory)
