import { afterAll, beforeAll, beforeEach } from 'vitest'

const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }))

/** Prints what the service has logged in this process during the current test, or before the first one. */
let lines: (() => void)[] = []
let hasRun = false
const print = () => {
  for (const line of lines) line()
  lines = []
}

// Keeps the service's log out of the output of tests that pass: a test that fails prints what was logged meanwhile.
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
  // A file that fails before its first test prints what was logged, too.
  if (!hasRun) print()
  lines = []
  for (const { stream, write } of streams) stream.write = write
})
