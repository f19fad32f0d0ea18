import { createDirectory } from '#shared/http/directory-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createSuiteDirectory = createDirectory('suite')

export const handler = lambda(createSuiteDirectory)
