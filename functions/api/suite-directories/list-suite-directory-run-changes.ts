import { lambda } from '#shared/http/lambda.ts'
import { listRunChanges } from '#shared/http/run-reads.ts'

export const listSuiteDirectoryRunChanges = listRunChanges('suite')

export const handler = lambda(listSuiteDirectoryRunChanges)
