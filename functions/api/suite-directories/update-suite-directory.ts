import { updateDirectory } from '#shared/directories/operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getSuiteDirectory } from './get-suite-directory.ts'

export const updateSuiteDirectory = updateDirectory('suite', getSuiteDirectory)

export const handler = lambda(updateSuiteDirectory)
