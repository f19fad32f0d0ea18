import { listDirectories } from '#shared/http/directory-reads.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listSuiteDirectories = listDirectories('suite')

export const handler = lambda(listSuiteDirectories)
