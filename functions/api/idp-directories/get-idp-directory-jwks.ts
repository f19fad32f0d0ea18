import * as v from 'valibot'
import { keysOf } from '#shared/domain/directories/directory-keys.ts'
import { item } from '#shared/http/directory-reads.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getIdpDirectoryJwks = operation(
  {
    method: 'GET',
    path: `${item('idp')}/jwks`,
    summary: 'Show the public keys that an identity provider directory signs with',
    credential: 'none',
    response: v.object({ keys: v.array(v.record(v.string(), v.string())) }),
  },
  ({ params }) => keysOf(params.id),
)
export const handler = lambda(getIdpDirectoryJwks)
