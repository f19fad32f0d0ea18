import { vi } from 'vitest'

/** Captures the service's log lines at this level and above, until the mocks are restored. */
export function catchLog(level = 'INFO'): { text(): string; lines(): Record<string, unknown>[] } {
  vi.stubEnv('LOG_LEVEL', level)
  const written: string[] = []
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((line) => written.push(String(line)) > 0)
  }
  return { text: () => written.join(''), lines: () => written.map((line) => JSON.parse(line)) }
}
