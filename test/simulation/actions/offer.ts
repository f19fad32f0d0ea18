import type { Actor, Client } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

/**
 * Returns the resources that policies offer to a client at any place and time (`offer`), and all objects that the offer depends on
 * (`grounds`). The service may nudge a client only after a change of `grounds`.
 */
export function offerTo({ model, access }: SimulatedAccount, client: Client): { grounds: string; offer: string } {
  const actor = model.actors.get(client.actor) as Actor
  const groups = new Set([...model.groups.keys()].filter((id) => access.isInGroup(actor, id)))
  const granting = [...model.policies.values()].filter(({ group }) => group !== null && groups.has(group))
  const offered = granting.flatMap(({ disabled, resource: id, conditions }) => {
    const resource = model.resources.get(id)
    return resource && !disabled && access.isConnectable(resource) ? [[resource, conditions]] : []
  })
  const rows = granting.map(({ uploads, ...policy }) => [policy, model.resources.get(policy.resource)])
  return {
    grounds: JSON.stringify([client.verified, model.internetResource, [...groups], rows]),
    offer: JSON.stringify([client.verified, offered.map((one) => JSON.stringify(one)).sort()]),
  }
}
