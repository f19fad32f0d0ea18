import { afterEach, expect, it, vi } from 'vitest'
import { logLine } from '#shared/core/log.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function writtenAt(level: string | undefined): string[] {
  vi.stubEnv('LOG_LEVEL', level)
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  logLine('INFO', 'one', { status: 200 })
  logLine('WARN', 'two')
  logLine('ERROR', 'three')
  const lines = write.mock.calls.map(([line]) => String(line))
  write.mockRestore()
  return lines
}

it('writes one line of JSON, each ended by a line feed', () => {
  expect(writtenAt('INFO')[0]).toBe('{"level":"INFO","message":"one","status":200}\n')
})

it.each([
  [undefined, ['one', 'two', 'three']],
  ['INFO', ['one', 'two', 'three']],
  ['WARN', ['two', 'three']],
  ['ERROR', ['three']],
])('with LOG_LEVEL %s writes %j', (level, messages) => {
  expect(writtenAt(level).map((line) => JSON.parse(line).message)).toEqual(messages)
})
