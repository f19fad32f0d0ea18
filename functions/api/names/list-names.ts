import * as v from 'valibot'
import { nameParameters, nameReads, namesOf, ObjectName } from '#shared/domain/names/names.ts'
import { operation } from '#shared/http/lambda.ts'

/** Returns the names of objects by their ids (K11.G2). */
export const handler = operation(
  'GET /names',
  {
    summary: 'List the names of objects by their ids',
    permissionsOf: nameReads,
    parameters: nameParameters,
    refusals: ['invalid_filter'],
    response: v.object({ data: v.array(ObjectName), metadata: v.object({ count: v.number() }) }),
  },
  ({ accountId, query }) => namesOf(accountId, query),
)
