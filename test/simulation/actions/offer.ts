import type { Actor, Client } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

/**
 * What an administrator lets a client reach, apart from where it is and what time it is: `offer`. And all that this is made of, as far
 * as it concerns the client: `grounds`, without a change of which nobody has a reason to nudge it.
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
