import { listDirectories } from '#shared/http/directory-reads.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listIdpDirectories = listDirectories('idp')

export const handler = lambda(listIdpDirectories)
