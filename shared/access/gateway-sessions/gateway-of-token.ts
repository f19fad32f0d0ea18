import type { CallerOf } from '../../auth/caller.ts'
import { commit } from '../../commit/commit.ts'
import { unauthorized } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { allocateAddress } from '../../domain/devices/allocate-address.ts'
import { gatewayTokens } from '../../domain/gateway-tokens/gateway-token.ts'
import { type GatewayRow, gateways } from '../../domain/gateways/gateway.ts'
import { generateGatewayName } from '../../domain/gateways/generated-name.ts'
import { findByPublicKey, publicKeyItem } from '../../domain/gateways/public-key-index.ts'

type Sent = { public_key: string; name?: string | null }

/**
 * The gateway that a session is for: the token's own, or the site's with this public key, created if there is none
 * (P2.2). Creation goes through a commit, which looks again, so two first starts with a key share one gateway.
 */
export async function gatewayOfToken(
  { account, token, gateway: own }: CallerOf<'gateway'>,
  subject: Subject,
  { public_key, name }: Sent,
): Promise<GatewayRow> {
  if (own) return own
  const siteId = token.site_id
  const find = () => findByPublicKey(account.id, siteId, public_key)
  const known = await find()
  if (known) return known
  const author = { accountId: account.id, subject: { ...subject } }
  return commit(author, async (transaction) => {
    // The token could have ended since the request came in, and its site with it.
    if (!(await transaction.get(gatewayTokens, token.id))) throw unauthorized()
    const existing = await find()
    if (existing) return existing
    const id = transaction.newId()
    author.subject.device_id = id
    author.subject.gateway_id = id
    transaction.put(publicKeyItem(account.id, siteId, public_key, id))
    const addresses = await allocateAddress(transaction)
    return transaction.insert(gateways, { id, site_id: siteId, name: name ?? generateGatewayName(), ...addresses })
  })
}
