import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as getPolicy } from '#functions/api/policies/get-policy.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'
import { type EngineRequest, engineError } from '#test/support/table/in-front-of-table.ts'
import { refuseRequests } from '#test/support/table/refuse-requests.ts'

const nothing = 'Nothing was changed'
const always = Number.POSITIVE_INFINITY

let world: AccessWorld
beforeEach(async () => {
  world = await newAccessWorld()
  await world.addGateway()
  await world.startSession()
  expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  countWaiting()
})
afterEach(() => vi.restoreAllMocks())

const isCommit = ({ operation, input }: EngineRequest) =>
  operation === 'TransactWriteItems' && JSON.stringify(input).includes(`"${world.account.id}#head"`)

/** Whatever takes the authorizations of the deleted policy away. */
const isSweep = ({ input }: EngineRequest) => JSON.stringify(input).includes('#authorizations.policy#')

const remove = () => world.account.call(deletePolicy, { method: 'DELETE', params: { id: world.policy.id } })
const granted = () => authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })

describe('a failure after the commit', () => {
  it('is 503, says that the change was made, and the follow-up finishes it', async () => {
    let isFollowedUp = false
    refuseRequests(always, engineError('ThrottlingException'), (request) => isSweep(request) && !isFollowedUp)
    const answer = await remove()
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(answer.body.detail).toContain('The change was made')
    expect(answer.body.detail).not.toContain(nothing)
    expect((await world.account.call(getPolicy, { params: { id: world.policy.id } })).status).toBe(404)
    isFollowedUp = true
    expect(await granted()).toHaveLength(1)
    await followUpAll(world.account.id)
    expect(await granted()).toEqual([])
  })

  it('that AWS denies is 500, and the follow-up finishes it', async () => {
    let isFollowedUp = false
    refuseRequests(always, engineError('AccessDeniedException'), (request) => isSweep(request) && !isFollowedUp)
    const answer = await remove()
    expect([answer.status, answer.text.includes(nothing)]).toEqual([500, false])
    isFollowedUp = true
    await followUpAll(world.account.id)
    expect(await granted()).toEqual([])
  })
})

describe('a commit that is not answered', () => {
  const create = () => world.account.call(createGroup, { method: 'POST', body: { group: { name: 'Unheard' } } })

  it('says so where nobody can tell whether it was made', async () => {
    const isTold = ({ operation, input }: EngineRequest) =>
      operation === 'GetItem' && JSON.stringify(input).includes('#commits')
    refuseRequests(
      always,
      engineError('InternalServerError', {}, 500),
      (request) => isCommit(request) || isTold(request),
    )
    const answer = await create()
    expect(answer.status).toBe(503)
    expect(answer.body.detail).toContain('does not know whether the change was made')
  })

  it('says that nothing was changed where that is known', async () => {
    refuseRequests(always, engineError('InternalServerError', {}, 500), isCommit)
    const answer = await create()
    expect([answer.status, answer.body.detail]).toEqual([503, expect.stringContaining(nothing)])
  })
})
