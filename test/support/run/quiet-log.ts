import { afterAll, beforeAll, beforeEach } from 'vitest'

const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }))

/** Functions that print the log lines of the current test, or those logged before the first test. */
let lines: (() => void)[] = []
let hasRun = false
const print = () => {
  for (const line of lines) line()
  lines = []
}

// Hides the service's log lines of passing tests, and prints those of failing tests.
beforeAll(() => {
  hasRun = false
  for (const { stream, write } of streams) {
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      if (typeof chunk !== 'string' || !chunk.startsWith('{"')) return Reflect.apply(write, stream, [chunk, ...rest])
      lines.push(() => write.call(stream, chunk))
      return true
    }
  }
})
beforeEach(({ onTestFailed }) => {
  if (hasRun) lines = []
  hasRun = true
  onTestFailed(print)
})
afterAll(() => {
  // Prints the log lines of a file that fails before its first test.
  if (!hasRun) print()
  lines = []
  for (const { stream, write } of streams) stream.write = write
})
