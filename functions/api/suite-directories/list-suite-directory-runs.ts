import { lambda } from '#shared/http/lambda.ts'
import { listRuns } from '#shared/http/run-reads.ts'

export const listSuiteDirectoryRuns = listRuns('suite')

export const handler = lambda(listSuiteDirectoryRuns)
