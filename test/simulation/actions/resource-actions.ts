import { handler as createResource } from '#functions/api/resources/create-resource.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as deleteSite } from '#functions/api/sites/delete-site.ts'
import type { Resource } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'
import { addPolicy } from './policy-actions.ts'
import { sizes } from './populate.ts'

type ResourceBody = Omit<Resource, 'stack' | 'site'> & { ip_stack: string | null; site_id: string | null }

function note(
  { model }: SimulatedAccount,
  { id, name, type, address, filters, ip_stack, site_id }: ResourceBody,
): void {
  model.resources.set(id, { id, name, type, address, filters, stack: ip_stack, site: site_id })
}

async function create(account: SimulatedAccount): Promise<Touched> {
  const { clock } = account
  const site_id = account.someSite()
  const resource = { name: 'Host', type: 'dns', address: `host-${clock.now}.example.com`, site_id }
  const created = await account.administer(createResource, { method: 'POST', body: { resource } })
  note(account, created)
  await addPolicy(account)
  return { resources: [created.id] }
}

async function update(account: SimulatedAccount, resource: Resource, sent: Record<string, unknown>): Promise<Touched> {
  const request = { method: 'PATCH', params: { id: resource.id }, body: { resource: sent } }
  note(account, await account.administer(updateResource, request))
  const after = account.model.resources.get(resource.id) as Resource
  const place = ({ site, stack, type, address }: Resource) => JSON.stringify([site, stack, type, address])
  if (place(after) !== place(resource))
    account.model.endAuthorizations((authorization) => authorization.resource === resource.id)
  return { resources: [resource.id] }
}

async function remove(account: SimulatedAccount, resource: Resource): Promise<Touched> {
  await account.administer(deleteResource, { method: 'DELETE', params: { id: resource.id } })
  account.model.deleteResource(resource.id)
  return {}
}

function someResource({ model, random }: SimulatedAccount): Resource {
  const used = [...model.authorizations.values()].map(({ resource }) => resource)
  const ids = used.length > 0 && random.chance(0.5) ? used : [...model.resources.keys()]
  return model.resources.get(random.pick(ids)) as Resource
}

/** Makes a random administrative change to a resource (A18). */
export async function administerResources(account: SimulatedAccount): Promise<Touched> {
  const { model, random, clock } = account
  if (model.resources.size < sizes.resources) return create(account)
  const resource = someResource(account)
  if (resource.type === 'internet') return {}
  const filters = [{ protocol: 'tcp', ports: [String(random.int(1, 9999))] }]
  if (resource.type === 'static_device_pool') return update(account, resource, { filters })
  return random.weighted<() => Promise<Touched>>([
    [3, () => update(account, resource, { filters, name: `Host ${clock.now}` })],
    [1, () => update(account, resource, { address: `host-${clock.now}.example.com` })],
    [1, () => update(account, resource, { ip_stack: random.pick(['dual', 'ipv4_only']) })],
    [2, () => update(account, resource, { site_id: account.someSite() })],
    [1, () => remove(account, resource)],
  ])()
}

/** Deletes a site with its gateways and resources, or creates a site to replace a deleted one (A20). */
export async function administerSites(account: SimulatedAccount): Promise<Touched> {
  const { model, random, clock } = account
  if (model.sites.size < sizes.sites) {
    const body = { site: { name: `Site ${clock.now}` } }
    model.sites.add((await account.administer(createSite, { method: 'POST', body })).id)
    return {}
  }
  const id = random.pick([...model.sites])
  await account.administer(deleteSite, { method: 'DELETE', params: { id } })
  model.deleteSite(id)
  return { leavesRows: true }
}
