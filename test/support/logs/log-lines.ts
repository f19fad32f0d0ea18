import { vi } from 'vitest'

/** Catches what the service logs from here on, at any level, until mocks are restored. */
export function catchLog(level = 'INFO'): { text(): string; lines(): Record<string, unknown>[] } {
  vi.stubEnv('LOG_LEVEL', level)
  const written: string[] = []
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((line) => written.push(String(line)) > 0)
  }
  return { text: () => written.join(''), lines: () => written.map((line) => JSON.parse(line)) }
}
