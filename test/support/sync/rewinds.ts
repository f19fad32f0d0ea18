import { directories } from '#shared/domain/directories/directory.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { type ResourceType, resources } from '#shared/domain/resources/resource.ts'
import { sites } from '#shared/domain/sites/site.ts'
import type { Run } from '#shared/sync/runs/run.ts'
import { dnsResource, openPolicy } from '../accounts/row-fields.ts'
import { insertRow, updateRow } from '../accounts/rows.ts'
import { runsApi } from './directories.ts'
import { newSyncWorld } from './sync-runs.ts'

/**
 * Creates a synced directory of six people in two groups. The group `staff` has access to a resource. `lose` executes a run that deletes
 * two people and `staff`, regardless of the deletion brake.
 */
export async function newRewindWorld() {
  const world = await newSyncWorld()
  const { account, company } = world
  const user = (i: number) => ({ id: `u${i}`, email: `u${i}@example.com` })
  company.perPage = 50
  company.users = [1, 2, 3, 4, 5, 6].map(user)
  company.groups = [
    { id: 'all', members: company.users.map(({ id }) => id) },
    { id: 'staff', members: ['u1', 'u3'] },
  ]
  await world.run()
  const site = await insertRow(account.id, sites, { name: 'Berlin', managed_by: 'account' })
  const addResource = (name: string, type: ResourceType = 'dns') =>
    insertRow(account.id, resources, { name, ...dnsResource, type, address: 'wiki.example.com', site_id: site.id })
  const groupOf = async (idpId: string) => (await world.state()).groups.find(({ idp_id }) => idp_id === idpId)
  const addPolicy = async (idpId: string, resourceId: string) => {
    const group = await groupOf(idpId)
    return insertRow(account.id, policies, {
      ...openPolicy,
      group_id: group?.id ?? null,
      group_idp_id: idpId,
      resource_id: resourceId,
    })
  }
  const resource = await addResource('Wiki')
  const policy = await addPolicy('staff', resource.id)
  /** Enables the directory, and executes a run without being stopped by the deletion brake. */
  async function runAll(): Promise<Run> {
    await updateRow(account.id, directories.idp, await world.row(), { accept_deletions: true, is_disabled: false })
    return world.run()
  }
  return {
    ...world,
    resource,
    policy,
    addResource,
    addPolicy,
    groupOf,
    runAll,
    lose(): Promise<Run> {
      company.users = company.users.filter(({ id }) => !['u1', 'u2'].includes(id))
      company.groups = [{ id: 'all', members: company.users.map(({ id }) => id) }]
      return runAll()
    },
    /** Executes the rewind of a run until it finishes, and returns the finished rewind. */
    async rewind(runId: string): Promise<Run> {
      const { status, text } = await runsApi.idp.rewind(account, world.id, runId)
      if (status !== 202) throw new Error(text)
      await world.step()
      return world.last()
    },
  }
}

export type RewindWorld = Awaited<ReturnType<typeof newRewindWorld>>

/** Executes a rewind until owning rows (such as groups) are restored. Stops before restoring the rows that belong to them. */
export async function rewindOwners(world: RewindWorld, runId: string): Promise<void> {
  await runsApi.idp.rewind(world.account, world.id, runId)
  for (let steps = 0; !(await world.groupOf('staff')); steps++) {
    if (steps > 20) throw new Error('The group does not come back.')
    await world.step(1)
  }
}
