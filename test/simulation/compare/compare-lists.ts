import { handler as listActors } from '#functions/api/access/list-actors-with-access.ts'
import { handler as listResources } from '#functions/api/access/list-reachable-resources.ts'
import type { Handler } from '#shared/http/lambda.ts'
import type { Actor, Resource } from '../models/account-model.ts'
import { agree } from '../world/agree.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

type Row = { id: string; policies: { id: string }[] }

/** Reads all pages of an access list. Each returned entry contains an id and the ids of the policies that grant access. */
async function readAll(account: SimulatedAccount, handler: Handler, id: string, limit: number): Promise<unknown[]> {
  const rows: unknown[] = []
  for (let cursor: string | null = null; ; ) {
    const query: Record<string, string> = { limit: String(limit), ...(cursor && { page_cursor: cursor }) }
    const answer = await account.ask(handler, { params: { id }, query })
    agree(`listing what ${id} is about`, answer.status, 200)
    rows.push(...answer.body.data.map((row: Row) => [row.id, row.policies.map((policy) => policy.id)]))
    cursor = answer.body.metadata.next_page
    if (cursor === null) {
      account.note(rows.length > 0 ? 'list' : 'empty list')
      return rows
    }
  }
}

const pairs = (found: [string, string[]][]) => found.filter(([, policies]) => policies.length > 0)

export async function compareActors(account: SimulatedAccount, resource: Resource): Promise<void> {
  const limit = account.random.pick([100, 100, 100, 40])
  const { actors } = account.model
  const expected = pairs(
    [...actors.values()].map((actor) => [actor.id, account.access.possibleGrants(actor, resource)]),
  )
  agree(`who can reach ${resource.id}`, await readAll(account, listActors, resource.id, limit), expected)
}

export async function compareResources(account: SimulatedAccount, actor: Actor): Promise<void> {
  const limit = account.random.pick([100, 100, 100, 7])
  const { resources } = account.model
  const expected = pairs([...resources.values()].map((one) => [one.id, account.access.possibleGrants(actor, one)]))
  agree(`what ${actor.id} can reach`, await readAll(account, listResources, actor.id, limit), expected)
}
