import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as listPolicies } from '#functions/api/policies/list-policies.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import type { Account } from '#test/support/accounts/account.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { directoriesApi, runsApi } from '#test/support/sync/directories.ts'
import { newRewindWorld } from '#test/support/sync/rewinds.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'

beforeEach(() => {
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const policiesOf = async (account: Account) => (await account.call(listPolicies, {})).body.data

describe('POST /{kind}_directories/{id}/runs/{run_id}/rewind (I4.1(6))', () => {
  it('restores everything that the run deleted, in commits of the requester', async () => {
    const world = await newRewindWorld()
    const before = await world.state()
    const policies = await policiesOf(world.account)
    const run = await world.lose()
    expect(await world.state()).not.toEqual(before)
    const { status, body } = await runsApi.idp.rewind(world.account, world.id, run.id)
    expect([status, body.data]).toMatchObject([202, { rewinds: run.id, phase: 'plan', outcome: null }])
    const getDirectory = async () => (await directoriesApi.idp.get(world.account, world.id)).body.data
    expect(await getDirectory()).toMatchObject({ is_disabled: true, disabled_reason: 'rewound' })
    await world.step()
    const rewind = await world.last()
    expect(rewind).toMatchObject({ id: body.data.id, outcome: 'applied', error: null, skipped: {} })
    const counts = (insert: number) => ({ insert, update: 0, delete: 0 })
    expect(rewind.applied).toEqual({ users: counts(2), groups: counts(1), memberships: counts(4) })
    expect(rewind.planned).toEqual(rewind.applied)
    expect(await world.state()).toEqual(before)
    expect(await policiesOf(world.account)).toEqual(policies)
    expect(await getDirectory()).toMatchObject({ is_disabled: true, disabled_reason: 'rewound', error: null })
    const commits = (await readCommits(world.account.id)).filter(({ run_id }) => run_id === rewind.id)
    expect(commits.every(({ subject }) => subject?.actor_id === world.account.apiClient.id)).toBe(true)
    const changes = (await runsApi.idp.changes(world.account, world.id, rewind.id)).body
    expect(changes.data.map(({ change, object }: Record<string, string>) => `${change} ${object}`)).toEqual([
      ...Array(2).fill('insert actors'),
      'insert groups',
      ...Array(2).fill('insert users'),
      ...Array(4).fill('insert memberships'),
      'update policies',
    ])
    expect(changes.data.map(({ name }: Record<string, string>) => name)).toContain('Group staff / Name of u1')
  })

  it('refuses an impossible rewind with a reason, and changes nothing', async () => {
    const world = await newRewindWorld()
    const [first] = (await runsApi.idp.list(world.account, world.id)).body.data
    const refusal = async (run_id: string, id = world.id) => {
      const { status, body } = await runsApi.idp.rewind(world.account, id, run_id)
      return `${status} ${body.code}: ${body.detail}`
    }
    const commits = async () => (await readCommits(world.account.id)).length
    const preview = await world.run(true)
    const run = await world.lose()
    const nothing = await world.run()
    const made = await commits()
    expect(await refusal(first.id)).toBe(
      '409 run_not_rewindable: The run deleted nothing, so there is nothing to rewind.',
    )
    expect(await refusal(preview.id)).toMatch('409 run_not_rewindable: A preview changes nothing')
    expect(await refusal(nothing.id)).toMatch('409 run_not_rewindable: The run deleted nothing')
    expect(await refusal(crypto.randomUUID())).toMatch('404 not_found')
    expect(await refusal('x')).toMatch('400 invalid_path_parameter')
    const elsewhere = await directoriesApi.idp.createAndGet(world.account)
    const changed = await commits()
    expect(await refusal(run.id, elsewhere.id)).toMatch('404 not_found')
    expect((await runsApi.suite.rewind(world.account, world.id, run.id)).status).toBe(404)
    const stranger = await newRewindWorld()
    expect((await runsApi.idp.rewind(stranger.account, world.id, run.id)).status).toBe(404)
    expect([await commits(), changed]).toEqual([changed, made + 1])
    // Expects that a later run without changes does not prevent a rewind, and that two concurrent requests start only one rewind.
    const both = await Promise.all([1, 2].map(() => runsApi.idp.rewind(world.account, world.id, run.id)))
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409])
    expect(both.map(({ body }) => body.code)).toContain('sync_running')
    expect(await refusal(run.id)).toMatch('409 sync_running')
    await world.step()
    const rewind = await world.last()
    const done = await commits()
    expect(await refusal(run.id)).toBe(`409 run_not_rewindable: The run was already rewound by ${rewind.id}.`)
    expect(await refusal(rewind.id)).toBe('409 run_not_rewindable: This run is itself a rewind.')
    expect(await commits()).toBe(done)
  })

  it('rewinds only the last run with changes, within 7 days', async () => {
    const world = await newRewindWorld()
    const run = await world.lose()
    world.company.users.push({ id: 'new', email: 'new@example.com' })
    const later = await world.run()
    const refusal = async () => (await runsApi.idp.rewind(world.account, world.id, run.id)).body
    expect(await refusal()).toMatchObject({
      code: 'run_not_rewindable',
      detail: `Only the last run can be rewound: ${later.id} has made changes since.`,
    })
    const old = await newRewindWorld()
    const lost = await old.lose()
    movableClock().days(7.1)
    const answer = await runsApi.idp.rewind(old.account, old.id, lost.id)
    expect([answer.status, answer.body]).toMatchObject([409, { detail: 'The run ended more than 7 days ago.' }])
  })
})
