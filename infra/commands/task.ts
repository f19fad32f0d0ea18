import { text } from 'node:stream/consumers'
import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import { reportFault, StartupError } from '../local/files/fault.ts'
import type { Task } from '../local/service.ts'
import { runTask } from './run-task.ts'

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
  'index-names': { task: 'index-names', event: 'optional' },
  seal: { task: 'seal-logs', event: 'none' },
  'advance-clock': { task: 'advance-clock', event: 'needed' },
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
      : fieldsOf(await runTask(task, event))
  const lists = { ...result, ...fieldsOf(result.data) }
  const hasFailed = 'error' in result || empty.some((list) => Array.isArray(lists[list]) && lists[list].length > 0)
  print(`${JSON.stringify(result, null, 2)}\n`, () => process.exit(hasFailed ? 1 : 0))
} catch (error) {
  reportFault(error)
  process.exit(1)
}
