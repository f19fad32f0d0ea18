import { afterEach, expect, it, vi } from 'vitest'
import { runInvocation } from '#shared/core/logging/invocation.ts'
import { logEnd } from '#shared/core/logging/log.ts'
import { noteRefusal, noteSignIn } from '#shared/sign-in/refusals/refusal-cause.ts'
import { SignInRefused } from '#shared/sign-in/refusals/sign-in-refused.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function linesOf(level: string, work: () => void): Record<string, unknown>[] {
  vi.stubEnv('METRICS', 'classes')
  const log = catchLog(level)
  runInvocation({ class: 'sign_in', operation: 'POST /sign_in/token' }, () => {
    work()
    logEnd('INFO', 'request', { status: 401 })
  })
  return log.lines() as Record<string, unknown>[]
}

const refused = () => noteRefusal('account-1', new SignInRefused('actor_disabled', 'actor-1'))
const byReason = { Dimensions: [['reason']], Metrics: [{ Name: 'sign_ins_refused', Unit: 'Count' }] }

it.each(['INFO', 'ERROR'])('counts a refusal by its reason, at level %s', (level) => {
  const last = linesOf(level, refused).at(-1) as { _aws: { CloudWatchMetrics: object[] } }
  expect(last).toMatchObject({ reason: 'actor_disabled', sign_ins_refused: 1 })
  expect(last._aws.CloudWatchMetrics).toMatchObject([byReason])
})

it('logs a refusal with its reason and actor', () => {
  expect(linesOf('WARN', refused)[0]).toMatchObject({
    event: 'sign_in_refused',
    reason: 'actor_disabled',
    account_id: 'account-1',
    actor_id: 'actor-1',
  })
})

it.each<[string, SignInRefused, object]>([
  ['a provider that is down', new SignInRefused('provider_unreachable'), { sign_ins_failed: 1 }],
  [
    'a secret that has ended',
    new SignInRefused('provider_refused', null, { at: 'token', error: 'invalid_client' }),
    { sign_ins_failed: 1 },
  ],
  ['a code that is none', new SignInRefused('provider_refused', null, { at: 'token', error: 'invalid_grant' }), {}],
  ['who stops', new SignInRefused('declined', null, { at: 'authorization', error: 'access_denied' }), {}],
  [
    'a request that is refused, as a browser says',
    new SignInRefused('provider_refused', null, { at: 'authorization', error: 'invalid_scope' }),
    {},
  ],
  [
    'an answer without a code',
    new SignInRefused('provider_answer', null, { at: 'authorization' }),
    { sign_ins_guessed: 1 },
  ],
  ['an answer that is none', new SignInRefused('provider_answer', null, { at: 'token' }), { sign_ins_failed: 1 }],
  ['a wrong passcode', new SignInRefused('passcode', 'actor-1'), { sign_ins_guessed: 1 }],
  ['who may not', new SignInRefused('actor_disabled', 'actor-1'), {}],
])('%s is counted for the alarm that it concerns, and no other', (_what, refusal, counted) => {
  const { sign_ins_failed, sign_ins_guessed, _aws } = linesOf('ERROR', () => noteRefusal('account-1', refusal)).at(
    -1,
  ) as { sign_ins_failed?: number; sign_ins_guessed?: number; _aws: { CloudWatchMetrics: object[] } }
  const found = { ...(sign_ins_failed && { sign_ins_failed }), ...(sign_ins_guessed && { sign_ins_guessed }) }
  expect(found).toEqual(counted)
  const [name] = Object.keys(counted)
  const alone = { Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }
  expect(_aws.CloudWatchMetrics).toMatchObject(name === undefined ? [byReason] : [byReason, alone])
})

it('counts a sign-in', () => {
  expect(linesOf('INFO', noteSignIn)).toMatchObject([{ event: 'request', sign_ins: 1 }])
})
