/** What the person at the terminal can repair: one line, exit code 1, no stack trace. */
export class Fault extends Error {
  override name = 'Fault'
}

export function reportFault(error: unknown): void {
  const text = error instanceof Fault ? error.message : error instanceof Error ? (error.stack ?? error.message) : error
  process.stderr.write(`${text}\n`)
}
