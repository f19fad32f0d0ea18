import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as updateTenantProviderOfAnyKind } from '#functions/api/auth-providers/update-auth-provider.ts'
import { handler as deleteClientToken } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as deleteClientTokens } from '#functions/api/client-tokens/delete-client-tokens.ts'
import { withRoute } from '#test/support/accounts/account.ts'
import type { Actor } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'
import { signIn, tokensOf } from './client-sessions.ts'
import { sizes } from './populate.ts'

const updateTenantProvider = withRoute(updateTenantProviderOfAnyKind, 'PATCH /tenant_auth_providers/{id}')

async function create(account: SimulatedAccount): Promise<Touched> {
  const { model, random, clock } = account
  const type = random.pick(['account_user', 'service_account'] as const)
  const email = type === 'account_user' ? { email: `person-${clock.now}@example.com` } : {}
  const body = { actor: { name: 'Someone', type, ...email } }
  const { id } = await account.administer(createActor, { method: 'POST', body })
  model.actors.set(id, { id, type, disabled: false })
  return { actors: [id] }
}

async function update(account: SimulatedAccount, actor: Actor, sent: Record<string, unknown>): Promise<Touched> {
  await account.administer(updateActor, { method: 'PATCH', params: { id: actor.id }, body: { actor: sent } })
  return { actors: [actor.id] }
}

async function switchOnOrOff(account: SimulatedAccount, actor: Actor): Promise<Touched> {
  const touched = await update(account, actor, { is_disabled: !actor.disabled })
  actor.disabled = !actor.disabled
  if (actor.disabled) account.model.deleteTokens((token) => token.actor === actor.id)
  return touched
}

async function promoteOrDemote(account: SimulatedAccount, actor: Actor): Promise<Touched> {
  if (actor.type !== 'account_user' && actor.type !== 'account_admin_user') return {}
  const type = actor.type === 'account_user' ? 'account_admin_user' : 'account_user'
  const touched = await update(account, actor, { type })
  actor.type = type
  return touched
}

async function remove(account: SimulatedAccount, actor: Actor): Promise<Touched> {
  await account.administer(deleteActor, { method: 'DELETE', params: { id: actor.id } })
  account.model.deleteActor(actor.id)
  return {}
}

async function removeTokens(account: SimulatedAccount, actor: Actor): Promise<Touched> {
  const { model, random } = account
  const tokens = tokensOf(account, actor.id)
  if (tokens.length === 0) return {}
  const params = { actor_id: actor.id }
  if (random.chance(0.4)) {
    await account.administer(deleteClientTokens, { method: 'DELETE', params })
    model.deleteTokens((token) => token.actor === actor.id)
  } else {
    const { id } = random.pick(tokens)
    await account.administer(deleteClientToken, { method: 'DELETE', params: { ...params, id } })
    model.deleteToken(id)
  }
  return { actors: [actor.id] }
}

/** Picks an actor, preferably one with authorized clients, but never the provisioned administrator or API client. */
function someActor({ model, random }: SimulatedAccount): Actor {
  const [, , ...ids] = model.actors.keys()
  const used = [...model.authorizations.values()].flatMap(({ client }) => model.clients.get(client)?.actor ?? [])
  const candidates = random.chance(0.5) ? used.filter((id) => ids.includes(id)) : ids
  return model.actors.get(random.pick(candidates.length > 0 ? candidates : ids)) as Actor
}

/** Makes a random administrative change to an actor or its client tokens (A12, A24). */
export async function administerActors(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  if (model.actors.size < sizes.actors) return create(account)
  const actor = someActor(account)
  if (actor.disabled && random.chance(0.7)) return switchOnOrOff(account, actor)
  return random.weighted<() => Promise<Touched>>([
    [4, () => switchOnOrOff(account, actor)],
    [1, () => promoteOrDemote(account, actor)],
    [1, () => remove(account, actor)],
    [4, () => removeTokens(account, actor)],
    [
      3,
      async () => {
        await signIn(account, actor)
        return { actors: [actor.id] }
      },
    ],
  ])()
}

/** Disables or enables a random auth provider. Disabling revokes the tokens that the provider issued (A25.2(5)). */
export async function switchProvider(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  const [id, on] = random.pick([...model.providers])
  const body = { tenant_auth_provider: { is_disabled: on } }
  await account.administer(updateTenantProvider, { method: 'PATCH', params: { id }, body })
  model.providers.set(id, !on)
  if (on) model.deleteTokens(({ provider }) => provider === id)
  return {}
}
