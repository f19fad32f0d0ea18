import * as v from 'valibot'
import { readDirectoryKeys } from '#shared/domain/directories/directory-keys.ts'
import { operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /idp_directories/{id}/jwks',
  {
    family: 'directories',
    summary: 'Show the public keys that an identity provider directory signs with',
    credential: 'none',
    response: v.object({ keys: v.array(v.record(v.string(), v.string())) }),
  },
  ({ params }) => readDirectoryKeys(params.id),
)
