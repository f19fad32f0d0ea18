import { afterEach, expect, it, vi } from 'vitest'
import { within } from '#shared/core/invocation.ts'
import { logEnd } from '#shared/core/log.ts'
import { noteRefusal, noteSignIn } from '#shared/sign-in/note-sign-in.ts'
import { SignInRefused } from '#shared/sign-in/sign-in-refused.ts'
import { catchLog } from '#test/support/log-lines.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function linesOf(level: string, work: () => void): Record<string, unknown>[] {
  vi.stubEnv('METRICS', 'classes')
  const log = catchLog(level)
  within({ class: 'sign_in', operation: 'POST /sign_in/token' }, () => {
    work()
    logEnd('INFO', 'request', { status: 401 })
  })
  return log.lines() as Record<string, unknown>[]
}

const refused = () => noteRefusal('account-1', new SignInRefused('actor_disabled', 'actor-1'))
const byReason = {
  Dimensions: [['reason']],
  Metrics: [{ Name: 'sign_ins_refused', Unit: 'Count' }],
}

it.each(['INFO', 'ERROR'])('a refusal is a metric by its reason, at level %s', (level) => {
  const last = linesOf(level, refused).at(-1) as { _aws: { CloudWatchMetrics: object[] } }
  expect(last).toMatchObject({ reason: 'actor_disabled', sign_ins_refused: 1 })
  expect(last._aws.CloudWatchMetrics).toMatchObject([byReason])
})

it('a refusal is a line that says why and of whom', () => {
  expect(linesOf('WARN', refused)[0]).toMatchObject({
    event: 'sign_in_refused',
    reason: 'actor_disabled',
    account_id: 'account-1',
    actor_id: 'actor-1',
  })
})

it('a sign-in is counted', () => {
  expect(linesOf('INFO', noteSignIn)).toMatchObject([{ event: 'request', sign_ins: 1 }])
})
