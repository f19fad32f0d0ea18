import { Problem } from '../../docs/examples/service.ts'
import { findAlarm, testAlarm } from './alarm.ts'
import { fetchNewestCheckpoint, verifyCheckpoint } from './checkpoint.ts'
import { createdAt, deleteLeftovers, findLeftovers } from './leftovers.ts'
import { type Options, readOptions, usage } from './options.ts'
import { printLine, Report, SmokeFailure, withoutTokens } from './report.ts'
import { checkAccess, type SmokeRun } from './run.ts'
import { checkPasscodeEmail, signIn } from './sign-in.ts'
import { walk, walkSteps } from './walk.ts'

/** Maximum duration of a run that waits for a passcode and a seal. */
const longestRunMs = 30 * 60_000

/** Aborts at the first signal, so that the run deletes the objects that it has created. A later signal exits the process. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  let firstAt = Number.POSITIVE_INFINITY
  const end = (signal: NodeJS.Signals) => {
    // Ignores further signals within a second. Ctrl-C arrives twice, because the terminal signals both npm and its child, and npm forwards
    // the signal.
    if (stop.signal.aborted && performance.now() - firstAt > 1_000) process.exit(1)
    if (stop.signal.aborted) return
    firstAt = performance.now()
    process.stderr.write(
      `\n${signal}: deleting what this run has created. Send it again to leave the objects for --clean-up.\n`,
    )
    stop.abort(new Error(`ended by ${signal}`))
  }
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end)
  return stop.signal
}

/**
 * Deletes objects that a killed run has left.
 * @throws SmokeFailure if another run may be in progress
 */
async function clearLeftovers({ api, report }: SmokeRun): Promise<void> {
  const leftovers = await findLeftovers(api)
  if (leftovers.length === 0) return
  const minutes = Math.round((Date.now() - Math.max(...leftovers.map(createdAt))) / 60_000)
  if (minutes * 60_000 < longestRunMs)
    throw new SmokeFailure(
      `A run that started ${minutes} minutes ago is in progress or was interrupted. Wait, or delete what it created with --clean-up.`,
    )
  await report.step('leftovers', async () => [await deleteLeftovers(api, leftovers), undefined])
}

/** Deletes all objects of the run. Finds them by name, to include objects whose creation got no response. */
async function cleanUp({ api, report }: Pick<SmokeRun, 'api' | 'report'>): Promise<void> {
  await report.lastStep('clean-up', async () => {
    const summary = await deleteLeftovers(api, await findLeftovers(api))
    const leftovers = await findLeftovers(api)
    if (leftovers.length > 0)
      throw new Error(`not deleted: ${leftovers.map(({ kind, id }) => `${kind} ${id}`).join('; ')}`)
    return [summary, undefined]
  })
}

/**
 * Checks all preconditions before anything is created.
 * @throws SmokeFailure if one is not met
 */
async function checkInput(run: SmokeRun) {
  const { passcodeEmail, alarm } = run.options
  if (passcodeEmail !== undefined) await checkPasscodeEmail(run, passcodeEmail)
  const found = alarm === undefined ? null : await findAlarm(alarm)
  await clearLeftovers(run)
  return { alarm: found, checkpoint: await fetchNewestCheckpoint(run.api) }
}

/** Ignores the failure of a step, so that independent steps follow. The failure is already reported. */
const orNull = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null)

/**
 * Runs all steps.
 * @throws SmokeFailure if another run started first
 */
async function runSteps(run: SmokeRun, { alarm, checkpoint }: Awaited<ReturnType<typeof checkInput>>): Promise<void> {
  const { report, stop } = run
  const skip = (names: string[]) => {
    for (const name of names.filter((candidate) => !report.has(candidate)))
      report.line('skipped', name, stop.aborted ? 'the run was ended' : 'depends on a step that failed')
  }
  const entry = await walk(run).catch((error: unknown) => {
    // Rethrows the error to prevent deleting the other run's objects, which have the same name.
    if (error instanceof SmokeFailure) throw error
    return null
  })
  skip(walkSteps)
  await orNull(signIn(run))
  await orNull(verifyCheckpoint(run, checkpoint, entry))
  await orNull(testAlarm(run, alarm))
  skip(['sign-in', 'checkpoint', 'alarm'])
}

async function smoke(options: Options): Promise<boolean> {
  const stop = stopSignal()
  const report = new Report(stop)
  const { account, api } = await checkAccess(options)
  const run: SmokeRun = { account, api, options, report, stop }
  const input = options.cleanUp ? null : await checkInput(run)
  report.line('ok', 'account', `${account.name} (${account.slug}, ${account.id}) at ${options.baseUrl}`)
  if (input) await runSteps(run, input)
  await orNull(cleanUp(run))
  return report.close() && !stop.aborted
}

// Ignores output errors. A closed pipe, for example to `head`, must not prevent the run from deleting its objects.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options) process.exitCode = (await smoke(options)) ? 0 : 1
  else printLine(usage)
} catch (error) {
  const isExpected = error instanceof SmokeFailure || error instanceof Problem
  process.stderr.write(`${withoutTokens(String(isExpected ? error.message : (error as Error).stack))}\n`)
  process.exitCode = error instanceof SmokeFailure ? 2 : 1
}
process.exit()
