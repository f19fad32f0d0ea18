import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { parseTimestamp } from '#shared/core/clock.ts'
import { NotAnExport } from '#shared/seal/export/export-file.ts'
import { ExportSeal } from '#shared/seal/export/export-seal.ts'
import { NoteError } from '#shared/seal/notes/signed-note.ts'
import { credentialsFile } from '../local/demo/demo-account.ts'
import { dataPath, readJson } from '../local/files/data-dir.ts'
import { errnoOf, messageOf, reportFault, StartupError } from '../local/files/fault.ts'
import { exportLog } from './export/export-log.ts'
import { LogClient } from './export/log-client.ts'

const usage =
  'npm run export -- --out <file> [--type change|session|api_request] [--begin <time>] [--end <time>] [--against <export or note>] [--base-url <address>]'

function readArguments() {
  const text = { type: 'string' } as const
  const options = { out: text, type: text, begin: text, end: text, against: text, 'base-url': text }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new StartupError(`${messageOf(error).replace(/\.?$/, '.')} Use: ${usage}`)
  }
}

/** Creates the client with the token in `API_TOKEN`, or with the token of the local demo account. The token needs the scope `logs:read`. */
function createClient(address: string | undefined): LogClient {
  const local = readJson<{ base_url: string; api_token: string }>(credentialsFile(dataPath()))
  const baseUrl = address ?? local?.base_url
  const token =
    process.env.API_TOKEN ?? (address === undefined || address === local?.base_url ? local?.api_token : undefined)
  if (!baseUrl)
    throw new StartupError(
      `No credentials in ${dataPath()}. Set DATA_DIR to the data directory of the service, or pass --base-url and set API_TOKEN.`,
    )
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new StartupError(`--base-url must be an address like https://access.example.com, not ${baseUrl}.`)
  if (!token) throw new StartupError('Set API_TOKEN to an API token with the scope logs:read.')
  return new LogClient(baseUrl, token)
}

const bar = (fraction: number, entries: number): string => {
  const filledWidth = Math.round(30 * Math.min(1, fraction))
  return `\r[${'#'.repeat(filledWidth)}${' '.repeat(30 - filledWidth)}] ${Math.floor(100 * Math.min(1, fraction))} % ${entries} entries`
}

const micros = (text: string): number => {
  const found = parseTimestamp(text)
  if (found === null) throw new StartupError(`${text} is not an RFC 3339 timestamp.`)
  return found
}

/** Converts errors that the user can fix into a `StartupError`, which prints as one line. */
const toStartupError = (error: unknown): unknown => {
  if (error instanceof NotAnExport || error instanceof NoteError) return new StartupError(`--against: ${error.message}`)
  // Attributes other system errors to the output file, because the client handles network errors.
  if (errnoOf(error) === undefined || !(error instanceof Error) || !('syscall' in error)) return error
  return new StartupError(
    `The export cannot be written: ${error.message}. Fix the cause, then run the same command again to resume the export.`,
  )
}

try {
  const { out, type = 'change', begin, end, against, 'base-url': address } = readArguments()
  if (!v.is(ExportSeal.entries.stream, type))
    throw new StartupError(`--type must be change, session or api_request, not ${type}.`)
  if (!out) throw new StartupError(`--out is missing. It names the file to write. Use: ${usage}`)
  const isTerminal = process.stderr.isTTY
  const { entries, range, isUpToCheckpoint } = await exportLog(createClient(address), {
    type,
    begin: micros(begin ?? '1970-01-01T00:00:00Z'),
    end: micros(end ?? new Date().toISOString()),
    out,
    against,
    ...(isTerminal && { progress: (fraction, count) => void process.stderr.write(bar(fraction, count)) }),
  })
  if (isTerminal) process.stderr.write('\r\u001b[K')
  // Maximum time until a checkpoint covers a new entry, by log type.
  const delay = type === 'change' ? 'five minutes' : 'two hours'
  const until = isUpToCheckpoint
    ? `up to the newest checkpoint. Entries of the last ${delay} may be missing.`
    : `up to ${range.end}.`
  process.stdout.write(
    `${out}: ${entries} entries and a seal, from ${range.begin} ${until} Verify the file: npm run verify-export -- ${out}\n`,
  )
} catch (error) {
  reportFault(toStartupError(error))
  process.exit(1)
}
