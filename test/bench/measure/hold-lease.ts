import type { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

type Send = Awaited<ReturnType<typeof sampleRequests>>['send']

/**
 * Sends requests with a token until this process holds units of the token's rate limit. The first lease has one unit, which its request
 * uses. Later leases have more units.
 */
export async function holdLease(send: Send, token: string): Promise<void> {
  const operation = {
    nac_: 'POST /client/authorizations',
    nag_: 'POST /gateway/sessions',
    // Uses the account's rate limit bucket, as all requests with a portal token do.
    nap_: 'GET /account',
  }[token.slice(0, 4)]
  // Sends no body, so that the request is refused after the credential check.
  const use = () => send(operation ?? 'POST /ingestion/flow_logs', { token })
  for (let leases = 0; leases < 2; ) {
    const { writes } = await measure(use)
    if (writes > 0) leases++
  }
}
