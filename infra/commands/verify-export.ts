import { parseArgs } from 'node:util'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { ExportFault } from '#shared/seal/export/check-export.ts'
import { NotAnExport } from '#shared/seal/export/export-file.ts'
import { compareExport, describeVerified, verifyExport } from '#shared/seal/export/verify-export.ts'

const usage =
  'verify-export <file> [--key <verifier key>] [--against <file or note>]. Exit code: 0 valid, 1 invalid, 2 not verified.'

const exitCodes = { invalid: 1, notVerified: 2 }

function fail(error: unknown): never {
  if (error instanceof ExportFault) {
    const positions = [error.line !== null && `line ${error.line}`, error.logId !== null && `log_id ${error.logId}`]
    const at = positions.filter(Boolean).join(', ')
    process.stdout.write(`INVALID: ${at ? `${at}: ` : ''}${error.message}\n`)
    process.exit(exitCodes.invalid)
  }
  process.stdout.write(`NOT VERIFIED: ${error instanceof Error ? error.message : error}\n`)
  process.exit(exitCodes.notVerified)
}

function readArguments() {
  const options = { key: { type: 'string' }, against: { type: 'string' } } as const
  let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>
  try {
    parsed = parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new NotAnExport(`${error instanceof Error ? error.message.replace(/\.?$/, '.') : error} Use: ${usage}`)
  }
  const [file, ...more] = parsed.positionals
  if (!file || more.length > 0) throw new NotAnExport(`Use: ${usage}`)
  return { file, ...parsed.values }
}

async function verify(isTTY: boolean): Promise<void> {
  const progress = isTTY
    ? (read: number, total: number) =>
        process.stderr.write(`\r${Math.floor((100 * read) / Math.max(1, total))} % ${read} entries`)
    : undefined
  try {
    const { file, key, against } = readArguments()
    const result = await verifyExport(file, { key, progress })
    if (isTTY) process.stderr.write('\r\u001b[K')
    const extensionText = against === undefined ? '' : `; ${await compareExport(file, against, key)}`
    process.stdout.write(`OK: ${describeVerified(result, key)}${extensionText}\n`)
  } catch (error) {
    fail(error)
  }
}

/** Limits the worker's young generation, which would otherwise grow to hundreds of megabytes before a collection. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

if (isMainThread) {
  // Reports output errors as "not verified", because Node's default exit code for them equals the code of a failed verification.
  process.stdout.on('error', () => process.exit(exitCodes.notVerified))
  const argv = process.argv.slice(2)
  const worker = new Worker(new URL(import.meta.url), {
    argv,
    resourceLimits,
    workerData: process.stderr.isTTY === true,
  })
  worker.on('error', fail)
  worker.on('exit', (code) => {
    process.exitCode = code
  })
} else await verify(workerData)
