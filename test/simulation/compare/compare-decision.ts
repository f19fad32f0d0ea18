import { handler as authorize } from '#functions/api/authorizations/create-authorization.ts'
import { timestamp } from '#shared/core/clock.ts'
import type { Client } from '../models/account-model.ts'
import { agree } from '../world/agree.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

/** Compares a client's request for a resource with the model (P5.2). Does nothing for a client without an active session. */
export async function compareDecision(account: SimulatedAccount, client: Client, resourceId: string): Promise<void> {
  const { model, access, random } = account
  const token = client.session && model.tokens.get(client.session.token)
  if (!client.session || !token) return
  const siblings = [...model.clients.values()].filter(({ session }) => session?.token === token.id).length
  const sessionFields = random.chance(0.8)
  const ambiguous = !sessionFields && siblings > 1
  // Reevaluates the client's other authorizations, as the service does on each request (P3.2).
  if (!ambiguous) model.reevaluate(client, token)
  const expected = ambiguous ? null : access.decide(client, token, resourceId)
  const body = { authorization: { resource_id: resourceId, ...(sessionFields && { session_id: client.session.id }) } }
  const { status, body: answer } = await account.from(client.place, token.secret, authorize, { method: 'POST', body })
  account.note(`decision ${answer.code ?? status}`, [client.id, resourceId])
  const subject = `client ${client.id} asking for resource ${resourceId}`
  if (!expected) {
    agree(subject, [status, Object.keys(answer.errors ?? {})], [422, ['session_id']])
    return
  }
  agree(subject, status, expected.status)
  if (expected.status === 403) agree(`what is violated for ${subject}`, answer.violated, expected.violated)
  if (expected.status === 409) agree(`the refusal of ${subject}`, answer.code, expected.code)
  if (expected.status === 200) {
    const { id, policy, gateway, expiresAt } = expected.authorization
    const { data } = answer
    agree(
      `the standing authorization of ${subject}`,
      [data.id, data.policy_id, data.gateway.id, data.expires_at],
      [id, policy, gateway, timestamp(expiresAt)],
    )
  }
  if (expected.status !== 201) return
  const { id, policy_id, expires_at, gateway, resource } = answer.data
  agree(
    `the grounds of ${subject}`,
    [policy_id, expires_at, resource.id],
    [expected.policy.id, timestamp(expected.expiresAt), resourceId],
  )
  const chosen = expected.gateways.find((one) => one.id === gateway.id)
  agree(`the gateway for ${subject}, one of ${JSON.stringify(expected.gateways)},`, gateway, {
    id: chosen?.id,
    ipv4: gateway.ipv4,
    ipv6: gateway.ipv6,
    public_key: chosen?.key,
  })
  account.granted.push(gateway.id)
  model.authorizations.set(id, {
    id,
    client: client.id,
    resource: resourceId,
    policy: policy_id,
    gateway: gateway.id,
    token: token.id,
    group: expected.group,
    uploads: expected.policy.uploads,
    expiresAt: expected.expiresAt,
  })
}
