import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/tasks/roll-back.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { FakeVersions } from '#test/support/service/fake-versions.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'

const today = '2026-11-23T14:03:00Z'
const earlier = '2026-11-20T09:00:00Z'
const nested = 'arn:aws:cloudformation:eu-central-1:123456789012:stack/NetworkAccess-Operations/x'

let aws: FakeVersions
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('SERVICE_NAME', 'NetworkAccess')
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'RollBack')
  catchLog()
  aws = new FakeVersions({
    FollowUp: { logicalId: 'ConsumersFollowUpVersion1', versions: [1, 2, 3], deployed: 3, at: today, alias: 3 },
    Groups: {
      logicalId: 'GetGroupsVersion1',
      nested,
      versions: [4, 6, 7],
      deployed: 7,
      at: today,
      alias: 7,
      replaced: 6,
    },
    Sites: { logicalId: 'GetSitesVersion1', nested, versions: [1, 2], deployed: 2, at: earlier, alias: 2 },
    Made: { logicalId: 'GetMadeVersion1', nested, versions: [1], deployed: 1, at: today, alias: 1 },
    RollBack: { logicalId: 'TasksRollBackVersion1', versions: [1, 2], deployed: 2, at: today, alias: 2 },
  })
  sdkByFetch()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => aws.answer(input as string, init))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const moved = (name: string, from: number, to: number) => ({ function: name, from, to })
const lastDeployment = { to: 'previous', since: '2026-11-23T14:00:00.123000Z' }

it('moves functions of the last deployment to their previous version, and no others', async () => {
  const before = aws.aliases()
  expect(await handler({})).toEqual({
    data: {
      ...lastDeployment,
      moved: [moved('Groups', 7, 6), moved('FollowUp', 3, 2)],
      unchanged: [],
      left: [{ function: 'Made', reason: 'no_version_before' }],
      failed: [],
    },
  })
  expect(aws.aliases()).toEqual({ ...before, Groups: 6, FollowUp: 2 })
})

it('moves nothing further when it is called again', async () => {
  await handler({})
  const after = aws.aliases()
  const { data } = (await handler({})) as { data: unknown }
  expect(data).toMatchObject({ ...lastDeployment, moved: [], unchanged: ['Groups', 'FollowUp'] })
  expect(aws.aliases()).toEqual(after)
})

it('moves functions forward again, readers first, and skips current ones', async () => {
  await handler({})
  const { data } = (await handler({ to: 'deployed' })) as { data: unknown }
  expect(data).toMatchObject({
    to: 'deployed',
    since: null,
    moved: [moved('FollowUp', 2, 3), moved('Groups', 6, 7)],
    unchanged: ['Sites', 'Made'],
    left: [],
  })
})

it('uses the given time instead of that of the last deployment', async () => {
  aws.updatedAt = '2026-11-23T15:00:00Z'
  expect(await handler({})).toMatchObject({ data: { moved: [] } })
  const answer = await handler({ since: '2026-11-20T00:00:00Z' })
  expect(answer).toMatchObject({
    data: { moved: [moved('Groups', 7, 6), moved('Sites', 2, 1), moved('FollowUp', 3, 2)] },
  })
})

it('moves the named functions, whenever they were published', async () => {
  const answer = await handler({ functions: ['Sites'] })
  expect(answer).toMatchObject({ data: { since: null, moved: [moved('Sites', 2, 1)] } })
  expect(aws.aliases()).toMatchObject({ Groups: 7, FollowUp: 3 })
})

it('ends weighted routing between two versions', async () => {
  const groups = aws.functions.get('Groups')
  Object.assign(groups ?? {}, { alias: 6, weights: { 7: 0.1 } })
  await handler({})
  expect(groups).toMatchObject({ alias: 6 })
  expect(groups?.weights).toBeUndefined()
})

it('skips an alias that somebody moved to another version', async () => {
  Object.assign(aws.functions.get('Groups') ?? {}, { alias: 4 })
  expect(await handler({})).toMatchObject({
    data: { left: expect.arrayContaining([{ function: 'Groups', reason: 'at_another_version' }]) },
  })
  expect(aws.aliases().Groups).toBe(4)
})

describe('faults', () => {
  const refused = (name: string, status: number) => () =>
    new Response(JSON.stringify({ message: 'x' }), { status, headers: { 'x-amzn-errortype': name } })

  it('continues with other functions, reports failures, and a second call moves those', async () => {
    const denied = refused('AccessDeniedException', 403)
    aws.fault = ({ method, path }) => (method === 'PUT' && path.includes('/Groups/') ? denied() : undefined)
    const failed = [{ function: 'Groups', error: 'AccessDeniedException' }]
    expect(await handler({})).toMatchObject({ data: { moved: [moved('FollowUp', 3, 2)], failed } })
    aws.fault = () => undefined
    expect(await handler({})).toMatchObject({
      data: { moved: [moved('Groups', 7, 6)], unchanged: ['FollowUp'], failed: [] },
    })
  })

  it('detects a successful move whose response was lost', async () => {
    let lost = 0
    aws.afterChange = () => (lost++ === 0 ? refused('ServiceException', 500)() : undefined)
    expect(await handler({ functions: ['Sites'] })).toMatchObject({
      data: { moved: [moved('Sites', 2, 1)], failed: [] },
    })
    expect(aws.aliases().Sites).toBe(1)
  })

  it('does not overwrite a concurrent move of the alias', async () => {
    const sites = aws.functions.get('Sites')
    aws.fault = ({ method }) => (method === 'PUT' ? refused('PreconditionFailedException', 412)() : undefined)
    expect(await handler({ functions: ['Sites'] })).toMatchObject({
      data: { moved: [], failed: [{ function: 'Sites', error: 'PreconditionFailedException' }] },
    })
    expect(sites?.alias).toBe(2)
  })

  it('retries a throttled request', async () => {
    let throttled = 2
    aws.fault = () => (throttled-- > 0 ? refused('TooManyRequestsException', 429)() : undefined)
    expect(await handler({ functions: ['Sites'] })).toMatchObject({ data: { moved: [moved('Sites', 2, 1)] } })
  })

  it('moves nothing if the stack cannot be read', async () => {
    const before = aws.aliases()
    aws.fault = ({ action }) =>
      action === 'ListStackResources'
        ? new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 })
        : undefined
    expect(await handler({})).toMatchObject({ error: { code: 'internal_error' } })
    expect(aws.aliases()).toEqual(before)
  })
})

describe('validation', () => {
  it.each([
    [{ since: 'yesterday' }, 'since must be an RFC 3339 timestamp.'],
    [{ to: 'newest' }, 'to must be previous or deployed.'],
    [{ version: 3 }, 'version is not a known field. The fields are to, since and functions.'],
    [{ functions: [] }, 'functions must be a list of function names.'],
    [{ functions: ['Sites'], since: today }, 'since and functions cannot be combined.'],
    [{ functions: ['Others'] }, 'functions contains Others, which is not a function of this deployment.'],
    [{ functions: ['RollBack'] }, 'functions contains RollBack, which is not a function of this deployment.'],
  ])('refuses %j', async (event, detail) => {
    const before = aws.aliases()
    expect(await handler(event)).toEqual({ error: { code: 'bad_request', detail } })
    expect(aws.aliases()).toEqual(before)
  })

  it.each(['UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS'])('refuses a call during %s', async (status) => {
    aws.status = status
    const detail = `A deployment is in progress (${status}). Use cancel-update-stack to roll it back.`
    expect(await handler({})).toEqual({ error: { code: 'bad_request', detail } })
  })

  it('refuses a call during the cleanup of a failed deployment, because the stack still has its versions', async () => {
    const groups = aws.functions.get('Groups')
    Object.assign(groups ?? {}, { alias: 6 })
    aws.status = 'UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS'
    expect(await handler({ to: 'deployed' })).toMatchObject({ error: { code: 'bad_request' } })
    expect(groups).toMatchObject({ alias: 6 })
  })

  it('accepts a call once a deployment only cleans up, or its rollback failed', async () => {
    for (const status of ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', 'UPDATE_ROLLBACK_FAILED']) {
      aws.status = status
      expect(await handler({})).toMatchObject({ data: { failed: [] } })
    }
  })

  it('refuses a call before the first update', async () => {
    aws.updatedAt = null
    expect(await handler({})).toMatchObject({ error: { code: 'bad_request' } })
  })
})
