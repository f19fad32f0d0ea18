import { getDirectory } from '#shared/http/directory-reads.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getSuiteDirectory = getDirectory('suite')

export const handler = lambda(getSuiteDirectory)
