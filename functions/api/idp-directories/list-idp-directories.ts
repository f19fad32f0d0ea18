import { listDirectories } from '#shared/directories/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listIdpDirectories = listDirectories('idp')

export const handler = lambda(listIdpDirectories)
