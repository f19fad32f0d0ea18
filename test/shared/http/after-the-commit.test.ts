import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as renewClientSession } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as getPolicy } from '#functions/api/policies/get-policy.ts'
import { commit } from '#shared/commit/commit.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { ApiError } from '#shared/core/errors.ts'
import { task } from '#shared/core/work/task.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { end, heartbeat } from '#test/support/access/gateways.ts'
import { type Answer, call, newAccount } from '#test/support/accounts/account.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'
import { type EngineRequest, engineError } from '#test/support/table/intercept-engine.ts'
import { refuseRequests } from '#test/support/table/refuse-requests.ts'

const nothing = 'Nothing was changed'
const always = Number.POSITIVE_INFINITY
/** Retryable error that does not use up the retry quota, which other tests of this process share. */
const inProgress = engineError('TransactionInProgressException')

let world: AccessWorld
let gateway: Awaited<ReturnType<AccessWorld['addGateway']>>
let session: Answer
beforeEach(async () => {
  world = await newAccessWorld()
  gateway = await world.addGateway()
  session = await world.startSession()
  expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  countWaiting()
})
afterEach(() => vi.restoreAllMocks())

const isCommit = ({ operation, input }: EngineRequest) =>
  operation === 'TransactWriteItems' && JSON.stringify(input).includes(`"${world.account.id}#version"`)

const isSweep = ({ input }: EngineRequest) => JSON.stringify(input).includes('#authorizations.policy#')

const ofClient = (handler: Handler, method: string) => (id: string) =>
  call(handler, { method, token: world.token.token, params: { id } })
const renewClient = ofClient(renewClientSession, 'PUT')
const endClient = ofClient(endClientSession, 'DELETE')

const remove = () => world.account.call(deletePolicy, { method: 'DELETE', params: { id: world.policy.id } })
const granted = () => authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })

describe('a failure after the commit', () => {
  it('is 503 with a detail that the change was made, and the follow-up work completes it', async () => {
    let isFollowedUp = false
    refuseRequests(always, inProgress, (request) => isSweep(request) && !isFollowedUp)
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

  it('is 500 if AWS denies access, and the follow-up work completes it', async () => {
    let isFollowedUp = false
    refuseRequests(always, engineError('AccessDeniedException'), (request) => isSweep(request) && !isFollowedUp)
    const answer = await remove()
    expect([answer.status, answer.text.includes(nothing)]).toEqual([500, false])
    isFollowedUp = true
    await followUpAll(world.account.id)
    expect(await granted()).toEqual([])
  })
})

describe('a failure after a write of a device', () => {
  const meet = (matches: (request: EngineRequest) => boolean) => refuseRequests(always, inProgress, matches)
  const isLive =
    (wanted: string) =>
    ({ operation, input }: EngineRequest) =>
      operation === wanted && JSON.stringify(input).includes(`"${world.account.id}#presence.`)
  const toOutcome = ({ status, body }: Answer) => [status, body.detail]
  const unavailable = (words: string) => [503, expect.stringContaining(words)]

  it('reports that a session has ended, although its authorizations still exist', async () => {
    const { id } = session.body.data
    meet(({ input }) => JSON.stringify(input).includes('#authorizations.client#'))
    expect(toOutcome(await endClient(id))).toEqual(unavailable('The change was made'))
    expect((await endClient(id)).status).toBe(404)
  })

  it('reports that the effect of a heartbeat, an end or a start is unknown', async () => {
    const unknown = unavailable('does not know whether the change was made')
    meet(isLive('UpdateItem'))
    expect(toOutcome(await heartbeat(gateway.token, gateway.session.id))).toEqual(unknown)
    expect(toOutcome(await end(gateway.token, gateway.session.id))).toEqual(unknown)
    expect(toOutcome(await renewClient(session.body.data.id))).toEqual(unknown)
    expect(toOutcome(await endClient(session.body.data.id))).toEqual(unknown)
    meet(isLive('TransactWriteItems'))
    expect(toOutcome(await world.startSession())).toEqual(unknown)
  })

  it('reports that the effect of a grant is unknown', async () => {
    const resource = await world.addResource()
    await world.addPolicy({ resource_id: resource.id })
    meet(({ operation, input }) => operation === 'UpdateItem' && JSON.stringify(input).includes('#authorizations#'))
    const answer = await world.ask({ resource_id: resource.id })
    expect(toOutcome(answer)).toEqual(unavailable('does not know whether the change was made'))
  })
})

describe('a task', () => {
  it('does not report that nothing was changed if it fails after its commit', async () => {
    refuseRequests(always, inProgress, isSweep)
    const disable = task(() =>
      commit({ accountId: world.account.id, subject: null }, async (transaction) => {
        transaction.delete(policies, world.policy)
        transaction.revoke({ by: 'policy', id: world.policy.id })
      }).catch((cause) => {
        throw new ApiError('unavailable', undefined, { cause })
      }),
    )
    expect(await disable({})).toEqual({
      error: { code: 'unavailable', detail: expect.stringContaining('The change was made') },
    })
  })
})

describe('an abandoned request', () => {
  it('logs the failed operation', async () => {
    const log = catchLog()
    // Uses a new account, for which this process has no rate limit lease yet.
    const account = await newAccount()
    const isBucket = ({ operation, input }: EngineRequest) =>
      operation === 'UpdateItem' && JSON.stringify(input).includes(`"${account.id}#rate.account"`)
    refuseRequests(always, engineError('ConditionalCheckFailedException'), isBucket)
    const answer = await account.call(getPolicy, { params: { id: world.policy.id } })
    expect(answer.status).toBe(503)
    expect(log.lines().find(({ event }) => event === 'request_given_up')).toMatchObject({
      level: 'WARN',
      stack: expect.stringContaining('rate-limit/lease-holder.ts'),
    })
  })
})

describe('a commit without a response', () => {
  const create = () => world.account.call(createGroup, { method: 'POST', body: { group: { name: 'Unheard' } } })

  it('reports an unknown effect if it may have been made', async () => {
    const isNotification = ({ operation, input }: EngineRequest) =>
      operation === 'GetItem' && JSON.stringify(input).includes('#commits')
    refuseRequests(always, inProgress, (request) => isCommit(request) || isNotification(request))
    const answer = await create()
    expect(answer.status).toBe(503)
    expect(answer.body.detail).toContain('does not know whether the change was made')
  })

  it('reports that nothing was changed if that is certain', async () => {
    refuseRequests(always, inProgress, isCommit)
    const answer = await create()
    expect([answer.status, answer.body.detail]).toEqual([503, expect.stringContaining(nothing)])
  })
})
