import type { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

type Send = Awaited<ReturnType<typeof sampleRequests>>['send']

/**
 * Uses a token of a client, a gateway or a flow reporter until this process holds units of its rate limit. The first
 * lease has one unit, which the request uses at once. Later leases have more units.
 */
export async function holdLease(send: Send, token: string): Promise<void> {
  const operation = {
    nac_: 'POST /client/authorizations',
    nag_: 'POST /gateway/sessions',
    // Requests with a portal token use the rate limit bucket of the account.
    nap_: 'GET /account',
  }[token.slice(0, 4)]
  // A request without a body is refused after the credential was checked.
  const use = () => send(operation ?? 'POST /ingestion/flow_logs', { token })
  for (let leases = 0; leases < 2; ) {
    const { writes } = await measure(use)
    if (writes > 0) leases++
  }
}
