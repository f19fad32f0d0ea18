import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import { build } from '../local/build/builds.ts'
import { runByControl } from '../local/control.ts'
import { credentialsFile } from '../local/demo/demo-account.ts'
import { closeDataDir, dataPath, openDataDir, readJson } from '../local/files/data-dir.ts'
import { reportFault, StartupError } from '../local/files/fault.ts'
import { isDataDir } from '../local/secret-file.ts'
import { startService, type Task } from '../local/service.ts'

type Command = {
  task: Task
  /** Specifies if the command needs an argument, which is an event as JSON, or `-` for standard input. */
  event: 'none' | 'optional' | 'needed'
  complete?(event: unknown): unknown
  /** Names of lists in the response. The exit code is 1 if one of the lists is not empty. */
  empty?: string[]
}

const commands: Record<string, Command> = {
  provision: {
    task: 'provision-account',
    event: 'needed',
    // Returns the token in the response by default, because there is no Secrets Manager locally.
    complete: (event) => (isObject(event) ? { token_in: 'answer', ...event } : event),
  },
  redrive: { task: 'redrive-failed-batches', event: 'none', empty: ['kept'] },
  verify: { task: 'verify-change-log', event: 'needed', empty: ['damages'] },
  'verify-rows': { task: 'verify-rows', event: 'optional', empty: ['findings'] },
  seal: { task: 'seal-logs', event: 'none' },
  'begin-sealed-log': { task: 'begin-sealed-log', event: 'needed' },
  'replay-commits': { task: 'replay-commits', event: 'needed', empty: ['kept'] },
}

/**
 * Parses the event from the arguments; undefined for invalid JSON.
 * @throws StartupError if the argument is missing or there are several
 */
async function readEvent(name: string, { event }: Command): Promise<unknown> {
  const [argument, ...more] = process.argv.slice(3)
  if (event === 'none' || (event === 'optional' && argument === undefined)) return {}
  if (argument === undefined || more.length > 0) {
    throw new StartupError(`Use: npm run ${name} -- '<event as JSON>', or - to read it from standard input.`)
  }
  const json = argument === '-' ? await text(process.stdin) : argument
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const print = process.stdout.write.bind(process.stdout)

/** Starts the service only for this task. Returns undefined if another process uses the data directory. */
async function runAlone(task: Task, event: unknown): Promise<unknown> {
  const path = dataPath()
  // Rejects a missing directory, because checks would succeed on empty data.
  if (task !== 'provision-account' && !isDataDir(path)) {
    throw new StartupError(
      `The data directory ${path} does not exist. Set DATA_DIR to the data directory of the service.`,
    )
  }
  const dir = openDataDir(path)
  if (!dir) return undefined
  const baseUrl = readJson<{ base_url: string }>(credentialsFile(path))?.base_url ?? 'http://127.0.0.1:8787'
  await using stack = new AsyncDisposableStack()
  stack.defer(() => closeDataDir(dir))
  const service = await startService(dir, baseUrl, build(path, ['functions', 'deployment']))
  stack.defer(() => service.stop())
  return await service.runTask(task, event)
}

/** Runs a task in the running service, or alone if there is none. Retries while a service starts or stops. */
async function run(task: Task, event: unknown): Promise<unknown> {
  for (let i = 0; i < 100; i++) {
    const result = (await runByControl(dataPath(), task, event)) ?? (await runAlone(task, event))
    if (result !== undefined) return result
    await sleep(100)
  }
  throw new StartupError(`A service uses the data directory ${dataPath()} but does not respond. Stop it and try again.`)
}

const [, , name = ''] = process.argv
const command = commands[name]
try {
  if (!command) throw new StartupError(`The command ${name} does not exist.`)
  const { task, complete = (event: unknown) => event, empty = [] } = command
  const event = complete(await readEvent(name, command))
  // Redirects the function's own log to standard error, so that standard output contains only the result.
  process.stdout.write = process.stderr.write.bind(process.stderr)
  const result =
    event === undefined
      ? { error: { code: 'invalid_json', detail: 'The event is not valid JSON.' } }
      : fieldsOf(await run(task, event))
  const lists = { ...result, ...fieldsOf(result.data) }
  const hasFailed = 'error' in result || empty.some((list) => Array.isArray(lists[list]) && lists[list].length > 0)
  print(`${JSON.stringify(result, null, 2)}\n`, () => process.exit(hasFailed ? 1 : 0))
} catch (error) {
  reportFault(error)
  process.exit(1)
}
