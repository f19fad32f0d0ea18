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

const text = { type: 'string' } as const

/** Task and options of each subcommand. */
const subcommands: Record<string, { task?: Task; options: Record<string, typeof text> }> = {
  verify: { task: 'verify-archive', options: { account: text, from: text, until: text, key: text } },
  status: { task: 'archive-status', options: { account: text } },
  flush: { task: 'flush-archive', options: {} },
  erase: { task: 'erase-actor', options: { account: text, actor: text } },
  tables: { options: { location: text } },
}

type Call = { task: Task | undefined; parameters: string[]; values: Record<string, string | undefined> }

/** @throws StartupError for unknown subcommands, options and parameters */
function readCall([name = '', ...args]: string[]): Call {
  const subcommand = subcommands[name]
  if (!subcommand) throw new StartupError(name ? `The subcommand ${name} does not exist.\n${usage}` : usage)
  const { task, options } = subcommand
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: !task })
    return { task, parameters: positionals, values }
  } catch (error) {
    throw new StartupError(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

const print = process.stdout.write.bind(process.stdout)

/** Exit codes of S5.2: 0 valid, 1 invalid, 2 not verified. */
const exitCodes = { valid: 0, invalid: 1, notVerified: 2 }

async function run({ task, parameters: [engine = '', ...others], values }: Call): Promise<number> {
  if (!task) {
    if (!isEngine(engine) || others.length > 0)
      throw new StartupError(`The engine must be one of ${tableEngines.join(', ')}.\n${usage}`)
    print(tableStatements(engine, values.location))
    return exitCodes.valid
  }
  const { account, actor, ...options } = values
  // Redirects the function's own log to standard error, so that standard output contains only the result.
  process.stdout.write = process.stderr.write.bind(process.stderr)
  const event = { ...options, ...(account && { account_id: account }), ...(actor && { actor_id: actor }) }
  const result = fieldsOf(await runTask(task, event))
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
