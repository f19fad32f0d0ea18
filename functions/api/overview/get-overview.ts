import * as v from 'valibot'
import { scopesOf } from '#shared/auth/caller.ts'
import { clock } from '#shared/core/clock.ts'
import { covers } from '#shared/core/permission.ts'
import { Overview, readOverview } from '#shared/domain/overview/read-overview.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { countLastDay, FlowCount } from '#shared/logs/count-last-day.ts'
import { refusalsOfLastDay } from '#shared/logs/refusals/refusals.ts'

const { truncated, ...members } = Overview.entries

/** Returns the state of an account, problems first (K11.G5). Shows only what the scopes of the caller can read. */
export const handler = operation(
  'GET /overview',
  {
    summary: 'Read the state of the account',
    response: data(v.object({ ...members, flows: v.nullable(FlowCount), refusals: v.nullable(v.number()), truncated })),
  },
  async ({ accountId, caller }) => {
    const now = clock.now()
    const scopes = scopesOf(caller)
    const canReadLogs = covers(scopes, 'logs:read')
    const [overview, flows, refusals] = await Promise.all([
      readOverview(accountId, scopes, now),
      canReadLogs ? countLastDay(accountId, now) : null,
      canReadLogs ? refusalsOfLastDay(accountId) : null,
    ])
    return { data: { ...overview, flows, refusals } }
  },
)
