import * as v from 'valibot'
import { scopesOf } from '#shared/auth/caller.ts'
import { SearchHit, search, searchParameters, searchReads } from '#shared/domain/names/search.ts'
import { operation } from '#shared/http/lambda.ts'

/** Finds objects by their names, emails, addresses, host names and serials (K11.G3). */
export const handler = operation(
  'GET /search',
  {
    summary: 'Search objects by their names, emails and addresses',
    permissionsOf: searchReads,
    parameters: searchParameters,
    refusals: ['invalid_filter'],
    response: v.object({
      data: v.array(SearchHit),
      metadata: v.object({ count: v.number(), truncated: v.boolean(), indexed: v.boolean() }),
    }),
  },
  ({ accountId, query, caller }) => search(accountId, query, scopesOf(caller)),
)
