import { lambda } from '#shared/http/lambda.ts'
import { rewindDirectoryRun } from '#shared/http/rewind-operations.ts'

export const rewindSuiteDirectoryRun = rewindDirectoryRun('suite')

export const handler = lambda(rewindSuiteDirectoryRun)
