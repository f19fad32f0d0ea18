import { lambda } from '#shared/http/lambda.ts'
import { syncDirectory } from '#shared/http/run-operations.ts'

export const syncSuiteDirectory = syncDirectory('suite')

export const handler = lambda(syncSuiteDirectory)
