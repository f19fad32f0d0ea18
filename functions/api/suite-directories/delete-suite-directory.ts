import { deleteDirectory } from '#shared/http/directory-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getSuiteDirectory } from './get-suite-directory.ts'

export const deleteSuiteDirectory = deleteDirectory('suite', getSuiteDirectory)

export const handler = lambda(deleteSuiteDirectory)
