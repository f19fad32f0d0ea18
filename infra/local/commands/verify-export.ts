import { parseArgs } from 'node:util'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { ExportFault } from '#shared/seal/export/check-export.ts'
import { NoExport } from '#shared/seal/export/read-export.ts'
import { compareExport, verifyExport } from '#shared/seal/export/verify-export.ts'

const usage = 'verify-export <file> [--key <verifier key>] [--against <file or note>]'

/** Ends the process with one line: 1 for what does not hold, 2 for what is no export. */
function fail(error: unknown): never {
  if (error instanceof ExportFault) {
    const place = [error.line !== null && `line ${error.line}`, error.logId !== null && `log_id ${error.logId}`]
    const at = place.filter(Boolean).join(', ')
    process.stdout.write(`DOES NOT HOLD: ${at ? `${at}: ` : ''}${error.message}\n`)
    process.exit(1)
  }
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(error instanceof NoExport ? 2 : 1)
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { key: { type: 'string' }, against: { type: 'string' } },
    })
    const [file, ...more] = positionals
    if (file && more.length === 0) return { file, ...values }
  } catch {}
  throw new NoExport(`Use: ${usage}`)
}

/** Verifies the file of the arguments, says the outcome in one line, and ends with its code. */
async function verify(isTTY: boolean): Promise<void> {
  const progress = isTTY
    ? (read: number, of: number) =>
        process.stderr.write(`\r${Math.floor((100 * read) / Math.max(1, of))} % ${read} entries`)
    : undefined
  try {
    const { file, key, against } = readArguments()
    const { seal, checkpoint, follows } = await verifyExport(file, { ...(key !== undefined && { key }), progress })
    if (isTTY) process.stderr.write('\r\u001b[K')
    const extended = against === undefined ? '' : `; ${await compareExport(file, against, key)}`
    const { first, last } = seal
    const behind = follows
      ? `; it follows ${follows.origin} of ${follows.size} leaves, of which it has the first ${follows.shared}${follows.last === null ? '' : `, up to ${follows.last}`}`
      : ''
    const range = first && last ? `, leaves ${first.leaf_index} to ${last.leaf_index} of ${checkpoint.size}` : ''
    const by = key === undefined ? ' (the key that the file names: compare it, or give --key)' : ''
    process.stdout.write(
      `OK: ${seal.entries} ${seal.stream} entries of ${checkpoint.origin}, complete, in order and unchanged${range}; signed by ${key ?? seal.verifier_key}${by}${behind}${extended}\n`,
    )
  } catch (error) {
    fail(error)
  }
}

/** Left to itself, what is young fills hundreds of megabytes before it is looked at, however little of it is in use. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

if (isMainThread) {
  const argv = process.argv.slice(2)
  const worker = new Worker(new URL(import.meta.url), {
    argv,
    resourceLimits,
    workerData: process.stderr.isTTY === true,
  })
  worker.on('exit', (code) => {
    process.exitCode = code
  })
} else await verify(workerData)
