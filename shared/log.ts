/** One line of JSON for the operator. Never a body, never a token. */
export function logLine(level: 'INFO' | 'WARN' | 'ERROR', message: string, fields: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`)
}
