import { parseArgs } from 'node:util'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { reportFault, StartupError } from '../local/files/fault.ts'
import type { Task } from '../local/service.ts'
import { isEngine, tableEngines, tableStatements } from './archive-tables.ts'
import { runTask } from './run-task.ts'

const usage = `Use: npm run archive -- verify [--account <id>] [--from <time>] [--until <time>] [--key <verifier key>]
       npm run archive -- status [--account <id>]
       npm run archive -- flush
       npm run archive -- erase --account <id> --actor <id>
       npm run archive -- tables ${tableEngines.join('|')} [--location <bucket or folder>]`

const options = {
  account: { type: 'string' },
  actor: { type: 'string' },
  from: { type: 'string' },
  until: { type: 'string' },
  key: { type: 'string' },
  location: { type: 'string' },
} as const

type Options = { [Name in keyof typeof options]?: string }

/** Options that each subcommand accepts. */
const accepted: Record<string, (keyof Options)[]> = {
  verify: ['account', 'from', 'until', 'key'],
  status: ['account'],
  flush: [],
  erase: ['account', 'actor'],
  tables: ['location'],
}

const tasks: Record<string, Task> = {
  verify: 'verify-archive',
  status: 'archive-status',
  flush: 'flush-archive',
  erase: 'erase-actor',
}

type Call = { name: string; parameters: string[]; values: Options }

/** @throws StartupError for unknown subcommands, options and parameters */
function readCall(argv: string[]): Call {
  let parsed: { values: Options; positionals: string[] }
  try {
    parsed = parseArgs({ args: argv, options, allowPositionals: true })
  } catch (error) {
    throw new StartupError(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
  const [name = '', ...parameters] = parsed.positionals
  const names = accepted[name]
  if (!names) throw new StartupError(name ? `The subcommand ${name} does not exist.\n${usage}` : usage)
  const unknown = Object.keys(parsed.values).find((option) => !names.includes(option as keyof Options))
  if (unknown) throw new StartupError(`The subcommand ${name} has no option --${unknown}.\n${usage}`)
  if (parameters.length !== (name === 'tables' ? 1 : 0)) throw new StartupError(usage)
  return { name, parameters, values: parsed.values }
}

const print = process.stdout.write.bind(process.stdout)

/** Exit codes of S5.2: 0 valid, 1 invalid, 2 not verified. */
const exitCodes = { valid: 0, invalid: 1, notVerified: 2 }

async function run({ name, parameters: [engine = ''], values }: Call): Promise<number> {
  if (name === 'tables') {
    if (!isEngine(engine)) throw new StartupError(`The engine must be one of ${tableEngines.join(', ')}.\n${usage}`)
    print(tableStatements(engine, values.location))
    return exitCodes.valid
  }
  const { account, actor, ...others } = values
  // Redirects the function's own log to standard error, so that standard output contains only the result.
  process.stdout.write = process.stderr.write.bind(process.stderr)
  const event = { ...others, ...(account && { account_id: account }), ...(actor && { actor_id: actor }) }
  const result = fieldsOf(await runTask(tasks[name] as Task, event))
  print(`${JSON.stringify(result, null, 2)}\n`)
  if ('error' in result) return exitCodes.notVerified
  const { findings, damaged } = fieldsOf(result.data)
  return [findings, damaged].flat().some(Boolean) ? exitCodes.invalid : exitCodes.valid
}

try {
  const code = await run(readCall(process.argv.slice(2)))
  print('', () => process.exit(code))
} catch (error) {
  reportFault(error)
  process.exit(exitCodes.notVerified)
}
