import { lambda } from '#shared/http/lambda.ts'
import { listRunChanges } from '#shared/http/run-reads.ts'

export const listIdpDirectoryRunChanges = listRunChanges('idp')

export const handler = lambda(listIdpDirectoryRunChanges)
