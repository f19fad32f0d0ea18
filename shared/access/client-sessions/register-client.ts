import { isDeepStrictEqual } from 'node:util'
import type { CallerOf } from '../../auth/caller.ts'
import { commit } from '../../commit/commit.ts'
import { unauthorized } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import {
  type ClientRow,
  clients,
  type DeviceDescription,
  installation,
  undescribed,
} from '../../domain/clients/client.ts'
import { generateClientName } from '../../domain/clients/generated-name.ts'
import { allocateAddress } from '../../domain/devices/allocate-address.ts'
import { findUnique } from '../../table/read.ts'

type Registration = Partial<DeviceDescription> & { svc_id: string }

/** The client of this installation, created if there is none; what the device says of itself replaces what is stored (P3.1(1)). */
export async function registerClient(
  { account, actor, token }: CallerOf<'client'>,
  subject: Subject,
  { svc_id, ...description }: Registration,
): Promise<ClientRow> {
  const find = () => findUnique(clients, account.id, 'clients.installation', installation(actor.id, svc_id))
  const known = await find()
  if (known && isDeepStrictEqual({ ...known, ...description }, known)) return known
  const author = { accountId: account.id, subject: { ...subject } }
  return commit(author, async (transaction) => {
    // The token could have ended since the request came in, and its actor with it.
    if (!(await transaction.get(clientTokens, token.id))) throw unauthorized()
    const existing = await find()
    const id = existing?.id ?? transaction.newId()
    author.subject.device_id = id
    if (existing) return transaction.update(clients, existing, description)
    return transaction.insert(clients, {
      id,
      actor_id: actor.id,
      name: generateClientName(),
      svc_id,
      verified_at: null,
      ...(await allocateAddress(transaction)),
      ...undescribed,
      ...description,
    })
  })
}
