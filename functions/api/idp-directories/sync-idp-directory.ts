import { lambda } from '#shared/http/lambda.ts'
import { syncDirectory } from '#shared/http/run-operations.ts'

export const syncIdpDirectory = syncDirectory('idp')

export const handler = lambda(syncIdpDirectory)
