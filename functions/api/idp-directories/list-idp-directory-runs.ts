import { lambda } from '#shared/http/lambda.ts'
import { listRuns } from '#shared/http/run-reads.ts'

export const listIdpDirectoryRuns = listRuns('idp')

export const handler = lambda(listIdpDirectoryRuns)
