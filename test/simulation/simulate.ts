import { vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { followUpFrom } from '#test/support/logs/commit-stream.ts'
import { disableForAWhile, switchInternetResource } from './actions/account-actions.ts'
import { administerActors, switchProvider } from './actions/actor-actions.ts'
import { useClients } from './actions/client-actions.ts'
import { leaveDeadGrant } from './actions/dead-grant.ts'
import { useGateways } from './actions/gateway-actions.ts'
import { administerGroups } from './actions/group-actions.ts'
import { administerPolicies } from './actions/policy-actions.ts'
import { populate } from './actions/populate.ts'
import { administerResources, administerSites } from './actions/resource-actions.ts'
import { jump } from './actions/time-jump.ts'
import { useChannel } from './actions/use-channel.ts'
import { checkStep } from './compare/check-step.ts'
import { compareHeartbeat } from './compare/compare-heartbeat.ts'
import { NudgeJudge } from './compare/nudge-judge.ts'
import { cdnSecret } from './world/places.ts'
import { rememberReads } from './world/read-memory.ts'
import { replaceMethod } from './world/replace-method.ts'
import { SeededRandom } from './world/seeded-random.ts'
import { SimulatedAccount } from './world/simulated-account.ts'
import { channelAt } from './world/simulated-channel.ts'
import { SimulatedClock } from './world/simulated-clock.ts'
import type { Touched } from './world/touched.ts'

/** Start times in the distant future, each shortly before a clock change. */
const starts = ['2040-10-26T06:30:00Z', '2040-03-09T21:00:00Z', '2040-03-23T21:00:00Z']

const actions = [
  [120, jump],
  [120, administerPolicies],
  [80, administerGroups],
  [56, administerActors],
  [56, administerResources],
  [120, useClients],
  [80, useGateways],
  [4, administerSites],
  [4, switchProvider],
  [4, switchInternetResource],
  [1, disableForAWhile],
] as const

async function run(account: SimulatedAccount, steps: number): Promise<void> {
  const { model, random } = account
  await account.open()
  await populate(account)
  let followed = await followUpFrom(account.id)
  const judge = new NudgeJudge(account)
  await judge.look()
  for (let step = 1; step <= steps; step++) {
    const action = random.weighted<(account: SimulatedAccount) => Promise<Touched>>(actions)
    account.note(action.name, `step ${step}`)
    account.settle()
    const touched = await action(account)
    account.settle()
    // Runs the stream's consumer only sometimes, because in production it lags behind the commits.
    await judge.look()
    const isFollowedUp = touched.leavesRows || random.chance(0.3)
    if (isFollowedUp) {
      followed = await followUpFrom(account.id, followed)
      await judge.followUp()
    }
    judge.judge()
    if (isFollowedUp) judge.settled()
    await useChannel(account)
    if (random.chance(0.2)) await leaveDeadGrant(account)
    await checkStep(account, touched, judge)
    await judge.look()
    judge.judge()
  }
  for (const gateway of model.gateways.values()) if (gateway.session) await compareHeartbeat(account, gateway, true)
}

/**
 * Runs random actions on an account and its model, and compares the two. Returns how often each action and check ran.
 * @throws Error with the seed and the latest actions if service and model differ
 */
export async function simulate(seed: number, steps: number): Promise<Map<string, number>> {
  const random = new SeededRandom(seed)
  const chance = new SeededRandom(seed + 1)
  vi.stubEnv('HEARTBEAT_SECS', '3600')
  vi.stubEnv('CDN_SECRET', cdnSecret)
  for (const [name, value] of Object.entries(channelAt)) vi.stubEnv(name, value)
  // Makes the service's random choices reproducible.
  replaceMethod(Math, 'random', () => chance.next())
  replaceMethod(clock, 'sleep', async () => undefined)
  rememberReads()
  const account = new SimulatedAccount(random, new SimulatedClock(random.pick(starts)))
  try {
    await run(account, steps)
    return account.tally
  } catch (error) {
    const story = [`With SIMULATION_SEED=${seed}`, ...account.latest, (error as Error).message]
    throw new Error(story.join('\n'), { cause: error })
  }
}
