import { lambda } from '#shared/http/lambda.ts'
import { rewindDirectoryRun } from '#shared/http/rewind-operations.ts'

export const rewindIdpDirectoryRun = rewindDirectoryRun('idp')

export const handler = lambda(rewindIdpDirectoryRun)
